/** Which artifacts a step downloads, and to where (wire facts part 5). */
import type { AttachmentId } from '@tutti/manifests';
import { createNamePattern } from '@tutti/selectors';
import { artifactOfPath } from './attachments.ts';

export interface WantedArtifact {
  readonly uuid: AttachmentId;
  /** As the step wrote it: relative to its directory unless it is absolute. */
  readonly target: string;
}

/** A longer pattern of names takes no name: names are files'. */
const PATTERN_LENGTH_MAX = 1024;

/**
 * The artifacts of these paths that the parameter `file` or `pattern` chooses, without either all of them. Where several would
 * become one file, the last one that was uploaded does.
 */
export function artifactsWanted(
  paths: readonly string[],
  path: string,
  { file, pattern = '*' }: Readonly<Record<string, string>>,
): readonly WantedArtifact[] {
  const nameFor = chooser(file, pattern);
  const byTarget = new Map<string, WantedArtifact>();
  for (const each of paths) {
    const artifact = artifactOfPath(each);
    const name = artifact === null ? null : nameFor(artifact.name);
    if (artifact === null || name === null) continue;
    const target = file === undefined ? inFolder(path, name) : asFile(path, name);
    byTarget.set(target, { uuid: artifact.uuid, target });
  }
  return [...byTarget.values()];
}

/** Answers the name under which an artifact was chosen, or null. */
function chooser(file: string | undefined, pattern: string): (name: string) => string | null {
  if (pattern.length > PATTERN_LENGTH_MAX) return () => null;
  const isMatch = file === undefined ? createNamePattern(pattern) : (name: string) => name === file;
  // Existing workflows name an artifact by what comes after the last `_` of its name.
  return (name) => [name, name.slice(name.lastIndexOf('_') + 1)].find(isMatch) ?? null;
}

/** Where a file of this name goes by the path that a step said: below a directory, if that ends with a separator. */
export const asFile = (path: string, name: string): string =>
  path === '' || /[\\/]$/.test(path) ? `${path}${name}` : path;

const inFolder = (path: string, name: string): string =>
  asFile(path === '' ? '' : `${path.replace(/(?<![\\/])[\\/]+$/, '')}/`, name);
