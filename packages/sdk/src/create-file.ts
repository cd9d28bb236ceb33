/** Lines of scripts that write files, safe for any content. */
import { type ChannelOs, OrchestratorError } from '@tutti/manifests';
import { quoteCmdPath, quoteSh } from './quoting.ts';

/** Longest content, in characters: it travels inside a script. */
const CONTENT_LENGTH_MAX = 64 * 1024;
/** Lines of encoded content; cmd takes lines of up to 8191 characters. */
const ENCODED_LINE_LENGTH = 4096;

/** Lines that write the content to this path, in UTF-8, with the directories that lead to it. */
export function createFile(os: ChannelOs, path: string, content: string): readonly string[] {
  if (content.length > CONTENT_LENGTH_MAX) {
    const message = `The content of ${path} is longer than ${CONTENT_LENGTH_MAX} characters.`;
    throw new OrchestratorError('Invalid', message);
  }
  return os === 'windows' ? createWindows(path, content) : createUnix(path, content);
}

function createUnix(path: string, content: string): readonly string[] {
  const file = quoteSh(notAnOption(path));
  return [
    ...makeDirectoryOf('linux', path),
    ...(isPlainText(content) ? hereDocument(file, content) : encodedUnix(file, content)),
  ];
}

/** A path that begins with a dash would be read as an option. */
const notAnOption = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/** Lines that make the directories which lead to this path, if there are any. */
export function makeDirectoryOf(os: ChannelOs, path: string): readonly string[] {
  if (os !== 'windows') {
    const directory = directoryOf(notAnOption(path), '/');
    return directory === null ? [] : [`mkdir -p ${quoteSh(directory)}`];
  }
  const directory = directoryOf(path.replaceAll('/', '\\'), '\\');
  if (directory === null) return [];
  const folder = quoteCmdPath(directory);
  return [`@if not exist ${folder} mkdir ${folder} || exit /b`];
}

/** True for a text that a here-document keeps as it is; a here-document always ends with a line feed. */
function isPlainText(content: string): boolean {
  const text = /^[\t\n\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{10ffff}]*$/u;
  return content.endsWith('\n') && text.test(content) && !content.includes('${{');
}

function hereDocument(file: string, content: string): readonly string[] {
  const lines = content.slice(0, -1).split('\n');
  let delimiter = 'END_OF_FILE';
  while (lines.includes(delimiter)) delimiter += '_';
  return [`cat > ${file} <<'${delimiter}'`, ...lines, delimiter];
}

/** By octal escapes, which every shell's printf knows, while `base64` has other options on each system. */
function encodedUnix(file: string, content: string): readonly string[] {
  const pieces = cutBytes(new TextEncoder().encode(content), ENCODED_LINE_LENGTH / 4);
  return [
    `: > ${file}`,
    ...pieces.map((bytes) => `printf '${bytes.map(escapeOctal).join('')}' >> ${file}`),
  ];
}

const KEPT = /^[A-Za-z0-9 _.,:;=/]$/;

function escapeOctal(byte: number): string {
  const character = String.fromCharCode(byte);
  return KEPT.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}

function createWindows(path: string, content: string): readonly string[] {
  const file = quoteCmdPath(path);
  return [
    ...makeDirectoryOf('windows', path),
    ...(content === '' ? [`@type nul > ${file} || exit /b`] : encodedWindows(path, content)),
  ];
}

function encodedWindows(path: string, content: string): readonly string[] {
  const file = quoteCmdPath(path);
  const encoded = quoteCmdPath(`${path}.base64`);
  const pieces = cutBytes(new TextEncoder().encode(content), (ENCODED_LINE_LENGTH / 4) * 3);
  const [first, ...rest] = pieces.map((bytes) => btoa(String.fromCharCode(...bytes)));
  return [
    // The redirection comes first: a digit before it, as base64 may end with, would name a stream.
    `@> ${encoded} echo ${first} || exit /b`,
    ...rest.map((line) => `@>> ${encoded} echo ${line} || exit /b`),
    `@certutil -f -decode ${encoded} ${file} > nul || exit /b`,
    `@del ${encoded}`,
  ];
}

function directoryOf(path: string, separator: string): string | null {
  const at = path.lastIndexOf(separator);
  return at <= 0 ? null : path.slice(0, at);
}

function cutBytes(bytes: Uint8Array, size: number): readonly (readonly number[])[] {
  const pieces: number[][] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push([...bytes.subarray(at, at + size)]);
  return pieces;
}
