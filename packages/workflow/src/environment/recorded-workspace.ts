/** The workspace of a job as the environment wrote it into its variables file, for its shell (wire facts 3.4 and 3.7). */
import type { ChannelOs } from '@tutti/manifests';

/** True for a path that needs no directory to begin from. */
export function isAbsolutePath(path: string, os: ChannelOs): boolean {
  return os === 'windows' ? /^(?:[a-z]:)?[\\/]/i.test(path) : path.startsWith('/');
}

/** Null when the path is not known: nothing was recorded, or nothing that can be read without the shell. */
export function recordedWorkspace(
  variables: Readonly<Record<string, string>> | null,
  os: ChannelOs,
): string | null {
  const text = variables?.OPENTF_WORKSPACE ?? '';
  const path = os === 'windows' ? text : withoutQuoting(text);
  return path !== null && isAbsolutePath(path, os) ? path : null;
}

/** What a step left for later ones, with the workspace as a path that can be read without the shell, if it is known. */
export function withPlainWorkspace(
  variables: Readonly<Record<string, string>>,
  os: ChannelOs,
): Readonly<Record<string, string>> {
  const path = recordedWorkspace(variables, os);
  return path === null ? variables : { ...variables, OPENTF_WORKSPACE: path };
}

const PLAIN = /^(?:\\.|[^\\"'`$])*$/s;
const ESCAPES = /^\$'((?:\\.|[^\\'])*)'$/s;

/** Undoes `%q` of bash, which puts backslashes before signs, and writes the rest of a path with control characters as `$'..'`. */
function withoutQuoting(text: string): string | null {
  if (PLAIN.test(text)) return text.replace(/\\(.)/gs, '$1');
  const [, escaped] = ESCAPES.exec(text) ?? [];
  return escaped === undefined ? null : withoutEscapes(escaped);
}

const CONTROLS = new Map([...'abtnvfr'].map((letter, index) => [letter, 7 + index] as const));
const ESCAPE = 0x1b;

/** Letters beyond ASCII are there as the bytes of UTF-8, in octal. */
function withoutEscapes(escaped: string): string | null {
  const bytes: number[] = [];
  for (const [piece, octal, sign] of escaped.matchAll(/\\(?:([0-7]{1,3})|(.))|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (sign !== undefined) bytes.push(...bytesOfSign(sign));
    else bytes.push(...new TextEncoder().encode(piece));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

function bytesOfSign(sign: string): Iterable<number> {
  if (sign === 'e' || sign === 'E') return [ESCAPE];
  const control = CONTROLS.get(sign);
  return control === undefined ? new TextEncoder().encode(sign) : [control];
}
