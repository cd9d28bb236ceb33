/** Reads a value of a variables file as the shell of the environment does (wire facts 3.7). */
import type { ChannelOs } from '@tutti/manifests';

/** A longer value stays as it is written: no expression could give it. */
const LENGTH_MAX = 64 * 1024;

/**
 * The value of a word of a shell, without its quotes and backslashes. Null for several words and for a too long value. Null also for a
 * value that only the environment knows, such as `$HOME`.
 */
export function shellValue(written: string, os: ChannelOs): string | null {
  if (written.length > LENGTH_MAX) return null;
  return os === 'windows' ? cmdValue(written) : posixValue(written);
}

/** Quotes are a part of values there, and a percent sign is written twice. */
function cmdValue(written: string): string | null {
  return /^(?:[^%]|%%)*$/.test(written) ? written.replaceAll('%%', '%') : null;
}

/** The home of somebody, which a tilde stands for at the begin of a value and behind colons. */
const HOME = /^~|:~/;
/** A dollar sign that begins neither a variable nor a command is one. */
const DOLLAR = String.raw`\$(?![\w{([@*#?$!-])`;
const PIECE = new RegExp(
  [
    String.raw`\\(?<escaped>.)`,
    "'(?<single>[^']*)'",
    String.raw`\$'(?<ansi>(?:\\.|[^\\'])*)'`,
    String.raw`"(?<double>(?:\\.|[^\\"$\x60]|${DOLLAR})*)"`,
    String.raw`(?<plain>(?:[^\\'"$\x60\s;&|<>()]|${DOLLAR}(?!['"]))+)`,
  ].join('|'),
  'sy',
);

function posixValue(written: string): string | null {
  if (HOME.test(written)) return null;
  let value = '';
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < written.length) {
    const piece = PIECE.exec(written)?.groups;
    const meant = piece === undefined ? null : meaningOf(piece);
    if (meant === null) return null;
    value += meant;
  }
  return value;
}

type Piece = Readonly<Partial<Record<string, string>>>;

function meaningOf({ escaped, single, ansi, double, plain = '' }: Piece): string | null {
  if (ansi !== undefined) return withoutEscapes(ansi);
  if (double !== undefined) return double.replace(/\\([$`"\\])/g, '$1');
  return escaped ?? single ?? (mayBeSeveral(plain) ? null : plain);
}

/** Bash makes several words of `{a,b}` and `{1..3}`. */
function mayBeSeveral(plain: string): boolean {
  const begin = plain.indexOf('{');
  return begin >= 0 && (plain.includes(',', begin) || plain.includes('..', begin));
}

const ESCAPE =
  /\\(?:(?<octal>[0-7]{1,3})|x(?<byte>[\da-fA-F]{1,2})|(?:u(?<short>[\da-fA-F]{1,4})|U(?<long>[\da-fA-F]{1,8}))|(?<sign>.))|[^\\]+/gs;

// Shared: one value may need them many thousand times.
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of `$'..'`. Letters beyond ASCII may be there as the bytes of UTF-8. */
function withoutEscapes(escaped: string): string | null {
  if (!escaped.includes('\\')) return escaped;
  try {
    const bytes: number[] = [];
    for (const { 0: piece, groups } of escaped.matchAll(ESCAPE)) {
      for (const byte of bytesOf(piece, groups ?? {})) bytes.push(byte);
    }
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

const CONTROLS = new Map([
  ...[...'abtnvfr'].map((letter, index): [string, number] => [letter, 7 + index]),
  ...[...'eE'].map((letter): [string, number] => [letter, 0x1b]),
  ...[...`\\'"?`].map((sign): [string, number] => [sign, sign.charCodeAt(0)]),
]);

/** Throws for a number that is no character. A backslash before a sign that it does not change is itself a sign. */
function bytesOf(piece: string, { octal, byte, short, long, sign }: Piece): Iterable<number> {
  if (octal !== undefined) return [Number.parseInt(octal, 8) & 0xff];
  if (byte !== undefined) return [Number.parseInt(byte, 16)];
  const point = short ?? long;
  const text = point === undefined ? piece : String.fromCodePoint(Number.parseInt(point, 16));
  const control = sign === undefined ? undefined : CONTROLS.get(sign);
  return control === undefined ? encoder.encode(text) : [control];
}
