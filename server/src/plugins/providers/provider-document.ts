/** Providers out of the descriptions that people write. */
import type { ProviderManifest } from '@tutti/manifests';
import type { Provider } from '@tutti/sdk';
import { readDocument, wrongDocument } from '../../http/documents.ts';
import { readTextFile } from '../../http/text-files.ts';
import { loadSchemaLibrary } from '../../http/validate.ts';

/** A description of a technology has about two kilobytes. */
const DESCRIPTION_BYTES_MAX = 512 * 1024;

export interface DescribedProvider {
  readonly manifest: ProviderManifest;
  readonly provider: Provider;
}

// Loaded with the first description: a server that calls no described function does not need it.
const loadManifests = () => import('@tutti/sdk/manifest');
type CheckProvider = ReturnType<Awaited<ReturnType<typeof loadManifests>>['createProviderCheck']>;
let check: CheckProvider | null = null;

/** Reads a description. Throws `Invalid` with all problems, each with its line. */
export async function providerOfText(text: string): Promise<DescribedProvider> {
  const { createProviderCheck, providerOfManifest } = await loadManifests();
  check ??= createProviderCheck(loadSchemaLibrary);
  const document = readDocument(text);
  const checked = check(document.value);
  if (!checked.ok) throw wrongDocument('description of a provider', document, checked.problems);
  return { manifest: checked.manifest, provider: providerOfManifest(checked.manifest) };
}

/** Reads the provider of a file; rejects also when the file cannot be read. */
export async function providerOfFile(path: string): Promise<DescribedProvider> {
  return await providerOfText(await readTextFile(path, 'The description', DESCRIPTION_BYTES_MAX));
}
