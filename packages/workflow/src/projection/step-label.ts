/** Label of a step, made from its entries in the workflow. */

/** `isFinal` is false for a command with expressions: once it runs, its evaluated form says more. */
export interface StepLabel {
  readonly text: string;
  readonly isFinal: boolean;
}

export type LabeledStep = { readonly [key in 'id' | 'name' | 'uses' | 'run']?: unknown };

/** Stands for the value of an expression that is not known. */
const UNKNOWN = '…';
/** Characters of a text that are read: scripts may be long, and labels are short. */
const READ_LENGTH_MAX = 4096;
// Quoted texts may hold braces.
const EXPRESSION = /\$\{\{(?:'[^']*'|(?!\}\})[^'])*\}\}/g;
/** The server names steps by such ids whose authors named them not; with a number where one is there again. */
const GENERATED_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:-\d+)?$/i;

/** The label that a manifest gives a step: its name, its function or its command. Null when none of them says anything. */
export function labelOfStep({ id, name, uses, run }: LabeledStep): StepLabel | null {
  const named = [name, uses].map(readable).find((text) => text !== '');
  if (named !== undefined) return { text: named, isFinal: true };
  const command = readable(run);
  if (command !== '') return { text: command, isFinal: !hasExpression(run) };
  const own = typeof id === 'string' ? idLabel(id) : '';
  return own === '' ? null : { text: own, isFinal: false };
}

/** Empty for an id that nobody chose. */
export const idLabel = (id: string): string => (GENERATED_ID.test(id) ? '' : id);

const hasExpression = (value: unknown): boolean =>
  typeof value === 'string' && value.includes('${{');

/** The first line, expressions left out; empty when nothing else is in it. */
export function readable(value: unknown): string {
  if (typeof value !== 'string') return '';
  const text = firstLine(value.slice(0, READ_LENGTH_MAX).replace(EXPRESSION, UNKNOWN));
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}

/** The first line that is not blank. */
export function firstLine(text: string): string {
  return (
    text
      .split(/\r?\n/)
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
