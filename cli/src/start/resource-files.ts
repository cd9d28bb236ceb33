/** The resource files that go with a workflow: what `-f` names is asked for, and can be read. */
import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { didYouMean, readYaml } from '@tutti/manifests/documents';
import { LEAVE_OUT } from '../options/option-values.ts';
import { fileReason } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';

/** Names that are told of those that the workflow asks for. */
const TOLD_MAX = 20;

/** The blobs by the names of the files. Each of `pairs` is `name=path`. Throws `UsageError` for a name that the workflow has not or that is given twice, and for what cannot be read. */
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

/** The longest name that is asked for and fits; else what stands before the first sign that is not the beginning. */
function splitPair(pair: string, asked: readonly string[]): readonly [name: string, path: string] {
  const fitting = asked.filter((name) => pair.startsWith(`${name}=`)).map(({ length }) => length);
  const split = fitting.length === 0 ? pair.indexOf('=', 1) : Math.max(...fitting);
  return [pair.slice(0, split), pair.slice(split + 1)];
}

/** Null for what is no workflow: the server says what is wrong with it. */
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

/** A server drops what nobody asks for, and a step that wants it finds out much later. */
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
  const told = asked.slice(0, TOLD_MAX).map((name) => `"${name}"`);
  const more = asked.length > TOLD_MAX ? ` and ${asked.length - TOLD_MAX} more` : '';
  return `It asks for ${told.join(', ')}${more}.`;
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

/** Blobs do not say why they cannot be opened, and take pipes for empty files. Rejects as the file system does. */
async function refusalOf(path: string): Promise<string | null> {
  const facts = await stat(path);
  await access(path, constants.R_OK);
  if (facts.isDirectory()) return 'it is a directory';
  return facts.isFile() ? null : 'it is no file but a pipe or a device, whose size nobody knows';
}
