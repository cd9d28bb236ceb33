/** JSON of values that may be far larger than any text made of them. */
import { namesOf, STEPS_OF, type Work } from './evaluation-budget.ts';
import { DEPTH_MAX, RESULT_LENGTH_MAX } from './limits.ts';
import { isList, isMap } from './values.ts';

/**
 * One line without blanks. A line break would end the workflow command or the shell word that it is put into. Refused when it is too long
 * or nested too deeply before it is made. `subject` begins the message, such as `toJSON() gives`. A value that JSON does not know counts as
 * null.
 */
export function jsonText(value: unknown, subject: string, work: Work): string {
  new SizeCheck(subject, work).visit(value, DEPTH_MAX);
  const text = JSON.stringify(value) ?? 'null';
  work.spend(text.length * STEPS_OF.entry);
  if (text.length > RESULT_LENGTH_MAX) throw work.refuse(tooLong(subject));
  return text;
}

export function tooLong(subject: string): string {
  return `${subject} more than ${RESULT_LENGTH_MAX} characters`;
}

/** Counts the least length of the text: the characters of texts and names, and one for everything else. */
class SizeCheck {
  readonly #subject: string;
  readonly #work: Work;
  #length = 0;

  constructor(subject: string, work: Work) {
    this.#subject = subject;
    this.#work = work;
  }

  visit(value: unknown, depthMax: number): void {
    this.#add(typeof value === 'string' ? value.length : 1);
    if (!isList(value) && !isMap(value)) return;
    if (depthMax === 0) {
      throw this.#work.refuse(`lists or maps are nested deeper than ${DEPTH_MAX}`);
    }
    if (isMap(value)) this.#add(namesOf(value, this.#work).join('').length);
    for (const item of isList(value) ? value : Object.values(value)) this.visit(item, depthMax - 1);
  }

  #add(length: number): void {
    this.#length += length;
    if (this.#length > RESULT_LENGTH_MAX) throw this.#work.refuse(tooLong(this.#subject));
  }
}
