/** The descriptions that every server has: one file for each prefix of functions. */
import { listOwnFiles, readOwnFile } from '../../runtime/own-files.ts';
import { type DescribedProvider, providerOfText } from './provider-document.ts';

const FOLDER = new URL('./manifests/', import.meta.url);
const EXTENSION = '.yaml';

/** The prefixes of their functions. */
export const manifestPrefixes: readonly string[] = listOwnFiles(FOLDER)
  .filter((name) => name.endsWith(EXTENSION))
  .map((name) => name.slice(0, -EXTENSION.length));

const loaded = new Map<string, Promise<DescribedProvider>>();

/** Reads a description when it is first asked for. Null when there is none for the prefix. */
export async function builtInManifest(prefix: string): Promise<DescribedProvider | null> {
  if (!manifestPrefixes.includes(prefix)) return null;
  const known = loaded.get(prefix);
  if (known !== undefined) return await known;
  const reading = readOwnFile(new URL(`${prefix}${EXTENSION}`, FOLDER)).then((text) =>
    providerOfText(text.toString()),
  );
  loaded.set(prefix, reading);
  return await reading;
}
