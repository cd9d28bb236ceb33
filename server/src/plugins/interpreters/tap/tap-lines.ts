/** The lines of the Test Anything Protocol, versions 12 to 14. */

export type TapLine =
  | { readonly kind: 'version' }
  | {
      readonly kind: 'plan';
      readonly first: number;
      readonly last: number;
      readonly reason: string | null;
    }
  | TapPoint
  | { readonly kind: 'bail-out'; readonly reason: string }
  | { readonly kind: 'subtest'; readonly name: string }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'yaml' }
  | { readonly kind: 'close' }
  | { readonly kind: 'other' };

export interface TapPoint {
  readonly kind: 'point';
  readonly isOk: boolean;
  /** Empty without a number. */
  readonly number: string;
  readonly description: string;
  readonly directive: 'skip' | 'todo' | null;
  readonly reason: string;
  /** In milliseconds. */
  readonly duration: number;
  /** Whether its subtests follow, in braces. */
  readonly isOpen: boolean;
}

const POINT = /^(not )?ok\b(?:\s+(\d{1,9})\b)?(.*)$/;
const PLAN = /^(\d{1,9})\.\.(\d{1,9})(?:\s*#\s*(?:skip\S*)?\s*(.*))?$/i;
const TIME = /(?:^|\s)time=([\d.]+)(m?s)\b/;

/** `text` is without its indentation. */
export function parseTapLine(text: string): TapLine {
  const point = POINT.exec(text);
  if (point !== null) return pointOf(point[1] === undefined, point[2] ?? '', point[3] ?? '');
  const plan = PLAN.exec(text);
  if (plan !== null) {
    const [first, last] = [Number(plan[1]), Number(plan[2])];
    return { kind: 'plan', first, last, reason: last < first ? (plan[3] ?? '') : null };
  }
  if (text.startsWith('#')) return commentOf(text.slice(1).trim());
  if (text.startsWith('Bail out!')) return { kind: 'bail-out', reason: text.slice(9).trim() };
  if (/^TAP version \d+/i.test(text)) return { kind: 'version' };
  if (text === '---') return { kind: 'yaml' };
  return text === '}' ? { kind: 'close' } : { kind: 'other' };
}

function commentOf(text: string): TapLine {
  const name = /^Subtest:\s*(.*)$/.exec(text)?.[1];
  return name === undefined
    ? { kind: 'comment', text }
    : { kind: 'subtest', name: unescaped(name) };
}

function pointOf(isOk: boolean, number: string, rest: string): TapPoint {
  const isOpen = /\s\{\s*$/.test(rest);
  const text = isOpen ? rest.replace(/\s\{\s*$/, '') : rest;
  const mark = directiveStart(text);
  const said = mark < 0 ? '' : text.slice(mark + 1).trim();
  const found = /^(skip|todo)\w*:?\s*(.*)$/i.exec(said);
  const time = TIME.exec(said);
  return {
    kind: 'point',
    isOk,
    number,
    description: unescaped((mark < 0 ? text : text.slice(0, mark)).replace(/^\s*-?\s*/, '').trim()),
    directive: found === null ? null : found[1]?.toLowerCase() === 'skip' ? 'skip' : 'todo',
    reason: (found?.[2] ?? '').replace(TIME, '').trim(),
    duration: time === null ? 0 : Number(time[1]) * (time[2] === 's' ? 1000 : 1),
    isOpen,
  };
}

/** The first `#` that no backslash is in front of, if a directive follows; -1 if there is none. */
function directiveStart(text: string): number {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    const isEscaped = text[at - 1] === '\\' && text[at - 2] !== '\\';
    if (!isEscaped && /^#\s*(?:skip|todo|time=)/i.test(text.slice(at, at + 40))) return at;
  }
  return -1;
}

function unescaped(text: string): string {
  return text.replace(/\\([#\\])/g, '$1');
}
