/** Texts of reports, cut to what is kept of them. */
import { createHash } from 'node:crypto';
import type { TestResultDetails } from '@tutti/manifests';
import { cutText, markedCut } from '@tutti/workflow';
import { ownText } from '../../../runtime/own-text.ts';
import { REPORT_LIMITS } from '../report-limits.ts';

// Characters that XML forbids but that test output brings along (colour codes above all), and that writers of reports
// often do not escape. A report is better read with a blot in it than not at all.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Collects a text that comes in pieces, without what blanks it begins with, as far as it is kept. */
export class BoundedText {
  #text = '';

  add(piece: string): void {
    const room = REPORT_LIMITS.textLengthMax + 1 - this.#text.length;
    if (room <= 0) return;
    const more = this.#text === '' ? piece.trimStart() : piece;
    this.#text += ownText(more.slice(0, room));
  }

  get length(): number {
    return this.#text.length;
  }

  /** Nothing that is added changes it any more. */
  get isFull(): boolean {
    return this.#text.length > REPORT_LIMITS.textLengthMax;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** Where the rest was never taken, the text ends with the mark of a cut whatever it ends with. */
  get value(): string {
    const isWhole = this.#text.length <= REPORT_LIMITS.textLengthMax;
    const text = isWhole ? this.#text.trim() : markedCut(this.#text, REPORT_LIMITS.textLengthMax);
    return clean(text);
  }
}

/** Details of a failure, each part only if there is something in it. `text` may be longer than what is kept. */
export function detailsOf(given: {
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  readonly text?: string | undefined;
}): TestResultDetails {
  const message = clean(cutText(given.message ?? '', REPORT_LIMITS.messageLengthMax)).trim();
  const type = cutText(plainName(given.type), REPORT_LIMITS.nameLengthMax);
  const text = clean(cutText(given.text ?? '', REPORT_LIMITS.textLengthMax)).trim();
  return {
    ...(message === '' ? {} : { message }),
    ...(type === '' ? {} : { type }),
    ...(text === '' ? {} : { text }),
  };
}

/** Two failures of one case, as one: the first message, and both texts. */
export function joinDetails(first: TestResultDetails, next: TestResultDetails): TestResultDetails {
  const parts = [first.text, next.message, next.text].filter(
    (part, index) => part !== undefined && (index !== 1 || next.text?.includes(part) !== true),
  );
  return detailsOf({ ...next, ...first, text: parts.join('\n\n') });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_PLAIN = /[\s\u0000-\u001f\ufffe\uffff]/;

/** Two names that differ only in what is cut away stay two. */
export function nameOf(text: string | undefined): string {
  return cutName(plainName(text), text);
}

/** What is looked at of a name: blanks in it may be many, and are shown as one. */
const NAME_START = 4 * REPORT_LIMITS.nameLengthMax;

const BLANKS = /(?:\r\n|[^\S\r\v\f\ufeff])+/g;
/** Some count as blanks elsewhere. A blank that nobody printed would keep a masked text from being found. */
const UNSEEN = /[\r\v\f\ufeff]/g;

/** Control characters (line breaks of parameters, mostly) would break lists and log lines that show the name. */
function plainName(text = ''): string {
  const start = text.slice(0, NAME_START);
  if (!NOT_PLAIN.test(start)) return start;
  return clean(start.replace(BLANKS, ' ').trim().replace(UNSEEN, '\ufffd'));
}

/** Names of suites in suites, as one; null if there is none. */
export function joinNames(names: readonly string[], separator = ' > '): string | null {
  return cutName(names.filter((name) => name !== '').join(separator)) || null;
}

/** In hexadecimal digits: of a million cut names, two are the same once in some hundred reports. */
const DIGEST_LENGTH = 12;

/** A name that is too long ends with a digest of all of it, so that it is the same in each run, and another one where it differs. */
function cutName(name: string, whole = name): string {
  const isCut = name.length > REPORT_LIMITS.nameLengthMax || whole.length > NAME_START;
  if (!isCut) return name;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST_LENGTH);
  const room = REPORT_LIMITS.nameLengthMax - DIGEST_LENGTH;
  return `${markedCut(name, Math.min(room, name.length + 1))}${digest}`;
}

export function clean(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replaceAll('\r\n', '\n');
}
