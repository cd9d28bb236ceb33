/** The resource files of a workflow. Checks that the workflow uses the names of `-f`, and that the files can be read. */
import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { didYouMean, readYaml } from '@tutti/manifests/documents';
import { LEAVE_OUT } from '../options/option-values.ts';
import { fileReason } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';

/** Limit of listed names. */
const SHOWN_MAX = 20;

/** The files by name. Each of `pairs` is `name=path`. Throws `UsageError` for unknown or repeated names, and for unreadable files. */
export async function openResourceFiles(
  manifestText: string,
  pairs: readonly string[],
): Promise<Readonly<Record<string, Blob>>> {
  if (pairs.length === 0) return {};
  const asked = await askedFiles(manifestText);
  const paths = pathsByName(pairs.map((pair) => splitPair(pair, asked ?? [])));
  const [unnamed] = [...paths].find(([, path]) => path === '') ?? [];
  if (unnamed !== undefined) {
    throw new UsageError(
      `-f names no path for the file "${unnamed}".`,
      'write the path behind the =, or leave -f out.',
    );
  }
  if (asked !== null) refuseOthers([...paths.keys()], asked);
  const files = [...paths].map(async ([name, path]) => [name, await openFile(name, path)] as const);
  return Object.fromEntries(await Promise.all(files));
}

function pathsByName(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const [name, path] of pairs) {
    const before = paths.get(name) ?? path;
    if (before !== path) {
      const message = `-f gives the file "${name}" twice: from ${before} and from ${path}.`;
      throw new UsageError(message, LEAVE_OUT);
    }
    paths.set(name, path);
  }
  return paths;
}

/** Splits at the longest known name; otherwise at the first sign behind the start. */
function splitPair(pair: string, asked: readonly string[]): readonly [name: string, path: string] {
  const fitting = asked.filter((name) => pair.startsWith(`${name}=`)).map(({ length }) => length);
  const split = fitting.length === 0 ? pair.indexOf('=', 1) : Math.max(...fitting);
  return [pair.slice(0, split), pair.slice(split + 1)];
}

/** Null if the text is no workflow: the server reports its mistakes. */
async function askedFiles(manifestText: string): Promise<readonly string[] | null> {
  const reading = readYaml(await import('yaml'), manifestText);
  if (!reading.ok || !isRecord(reading.document.value)) return null;
  const { resources = {} } = reading.document.value;
  if (!isRecord(resources)) return null;
  const { files = [] } = resources;
  if (!Array.isArray(files)) return null;
  const names = files.map((file: unknown) => (isRecord(file) ? file.name : file));
  return names.every((name) => typeof name === 'string') ? names : null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A server drops unused files, and a step that wants one fails much later. */
function refuseOthers(given: readonly string[], asked: readonly string[]): void {
  const other = given.find((name) => !asked.includes(name));
  if (other === undefined) return;
  const unknown = `The workflow asks for no file "${other}"${didYouMean(other, asked) || '.'}`;
  throw new UsageError(
    `${unknown} ${listed(asked)}`,
    'take a name that it asks for, or add this one to the resources.files of the workflow, also if only a workflow that it calls needs it.',
  );
}

function listed(asked: readonly string[]): string {
  if (asked.length === 0) return 'It asks for no files at all.';
  const shown = asked.slice(0, SHOWN_MAX).map((name) => `"${name}"`);
  const more = asked.length > SHOWN_MAX ? ` and ${asked.length - SHOWN_MAX} more` : '';
  return `It asks for ${shown.join(', ')}${more}.`;
}

async function openFile(name: string, path: string): Promise<Blob> {
  try {
    const refusal = await refusalOf(path);
    if (refusal !== null) throw new Error(refusal);
    return await openAsBlob(path);
  } catch (error) {
    throw new UsageError(
      `Cannot read the file "${name}" from ${path}: ${fileReason(error)}.`,
      'check the path.',
    );
  }
}

/** Blobs give no reason when they cannot be opened, and treat pipes as empty files. Rejects with file system errors. */
async function refusalOf(path: string): Promise<string | null> {
  const facts = await stat(path);
  await access(path, constants.R_OK);
  if (facts.isDirectory()) return 'it is a directory';
  return facts.isFile() ? null : 'it is no file but a pipe or a device, whose size nobody knows';
}
