/** The check of manifests, when there is one to check: a server that nobody uses needs none of it. */
import type { CheckManifest } from './manifest-checks.ts';

/** What it answers is loaded with the first call. */
export function manifestCheckLoader(apiGroup: string): () => Promise<CheckManifest> {
  let check: Promise<CheckManifest> | null = null;
  return () => {
    check ??= load(apiGroup);
    return check;
  };
}

async function load(apiGroup: string): Promise<CheckManifest> {
  const { createManifestCheck } = await import('./manifest-checks.ts');
  return createManifestCheck(apiGroup);
}
