/** Texts of reports, cut to the stored length. */
import { createHash } from 'node:crypto';
import type { TestResultDetails } from '@tutti/manifests';
import { cutText, markedCut } from '@tutti/workflow';
import { ownText } from '../../../runtime/own-text.ts';
import { REPORT_LIMITS } from '../report-limits.ts';

// Characters that XML forbids. Test output contains them (mostly colour codes), and many report writers do not escape them. A
// slightly wrong report is better than none.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them on purpose.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Collects a text from pieces, without leading blanks, up to the stored length. */
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

  /** True if further text has no effect. */
  get isFull(): boolean {
    return this.#text.length > REPORT_LIMITS.textLengthMax;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** If the rest was not read, the text ends with the mark of a cut. */
  get value(): string {
    const isWhole = this.#text.length <= REPORT_LIMITS.textLengthMax;
    const text = isWhole ? this.#text.trim() : markedCut(this.#text, REPORT_LIMITS.textLengthMax);
    return clean(text);
  }
}

/** Details of a failure, without empty parts. `text` may exceed the stored length. */
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

/** Joins two failures of one case: the first message, and both texts. */
export function joinDetails(first: TestResultDetails, next: TestResultDetails): TestResultDetails {
  const parts = [first.text, next.message, next.text].filter(
    (part, index) => part !== undefined && (index !== 1 || next.text?.includes(part) !== true),
  );
  return detailsOf({ ...next, ...first, text: parts.join('\n\n') });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them on purpose.
const NOT_PLAIN = /[\s\u0000-\u001f\ufffe\uffff]/;

/** Cut names stay distinct. */
export function nameOf(text: string | undefined): string {
  return cutName(plainName(text), text);
}

/** Characters of a name to read: it may contain many blanks, which are shown as one. */
const NAME_START = 4 * REPORT_LIMITS.nameLengthMax;

const BLANKS = /(?:\r\n|[^\S\r\v\f\ufeff])+/g;
/** Other code takes them for blanks. An extra blank would prevent redaction of a masked text. */
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

/** A cut name ends with a digest of the whole. So equal names stay equal in each run, and different ones differ. */
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
