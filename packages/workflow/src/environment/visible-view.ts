/** The visible part of a text: without terminal control sequences, zero-width signs, and line breaks that only wrap it. */
import { replacedView, type TextView } from './decoded-views.ts';

/** Eight bytes that are written one by one, as before a line break of `od`, `xxd -i` or `openssl x509`. */
export const BYTES_BEFORE_BREAK = String.raw`(?:(?:0x|\\x)?[\da-fA-F]{2}[ :,-]{0,2}){8}`;
export const BYTES_LENGTH_MAX = 48;
/** Line breaks within a long word or a row of bytes, as encoders and terminals make them. The text before them is looked at last. */
const WRAP = String.raw`\r?\n(?:(?<=\S{16}\r?\n)[ \t]*(?=\S)|(?<=${BYTES_BEFORE_BREAK}\r?\n)[ \t]*(?=(?:0x|\\x)?[\da-fA-F]{2}(?:[ :,-]|$)))`;
const IS_WRAPPED = new RegExp(WRAP);

/** Control characters, and characters without a width: those that Unicode lets programs ignore, and marks of directions and annotations. */
const UNSEEN = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffd`;
/** Unseen signs of two code units: signs of shorthand and of music, tags, further variants. */
const UNSEEN_PAIRS = String.raw`\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]`;
const MAY_BE_INVISIBLE = new RegExp(`[${UNSEEN}\u241b]|#x|${UNSEEN_PAIRS}`);

/**
 * Signs that no reader sees: control sequences of terminals (ECMA-48), zero-width characters, and line breaks that only wrap a text.
 * Reports of tests write another sign for the escape sign; that counts, too.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`(?:[\x1b\ufffd\u241b]\[|#x1B\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`\x1b[ -/]*[0-~]`,
    `[${UNSEEN}]|${UNSEEN_PAIRS}|(?<!&)#x00`,
    WRAP,
  ].join('|'),
  'g',
);

/** A view without invisible signs; null when there are none. */
export function visibleView(text: string): TextView | null {
  return MAY_BE_INVISIBLE.test(text) || (text.includes('\n') && IS_WRAPPED.test(text))
    ? replacedView(text, INVISIBLE, () => '')
    : null;
}
