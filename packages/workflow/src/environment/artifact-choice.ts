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
  const targetFor = chooser(path, file, pattern);
  const byTarget = new Map<string, WantedArtifact>();
  for (const each of paths) {
    const artifact = artifactOfPath(each);
    const target = artifact === null ? null : targetFor(artifact.name);
    if (artifact === null || target === null) continue;
    byTarget.set(target, { uuid: artifact.uuid, target });
  }
  return [...byTarget.values()];
}

/** Answers where an artifact of this name goes, or null. */
function chooser(
  path: string,
  file: string | undefined,
  pattern: string,
): (name: string) => string | null {
  if (pattern.length > PATTERN_LENGTH_MAX) return () => null;
  const isMatch = file === undefined ? createNamePattern(pattern) : (name: string) => name === file;
  return (name) => {
    const part = partOf(name);
    if (part !== null && isMatch(part.artifact)) {
      return inFolder(path, file === undefined ? `${part.artifact}/${part.file}` : part.file);
    }
    if (part !== null && file === undefined) return null;
    // Existing workflows name an artifact by the part after the last `_` of its name.
    const chosen = [name, name.slice(name.lastIndexOf('_') + 1)].find(isMatch);
    if (chosen === undefined) return null;
    return file === undefined ? inFolder(path, chosen) : asFile(path, chosen);
  };
}

/** One file of an artifact in several, whose name is `ARTIFACT%2FPATH`; null for a name of another form. */
function partOf(name: string): { readonly artifact: string; readonly file: string } | null {
  const [artifact = '', ...pieces] = name.split('%2F').map(decoded);
  // The name comes from an environment, so it must not lead out of the folder that the step named.
  const isPath = [artifact, ...pieces].every((piece) => !/^\.{0,2}$|[\\/\p{Cc}]/u.test(piece));
  return pieces.length > 0 && isPath ? { artifact, file: pieces.join('/') } : null;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['%2C', ','],
  ['%3A', ':'],
  ['%25', '%'],
]);

const decoded = (piece: string): string =>
  piece.replace(/%(?:2C|3A|25)/g, (sign) => SIGNS.get(sign) ?? sign);

/** The target of a file, by the path that a step named. A final separator makes it a directory. */
export const asFile = (path: string, name: string): string =>
  path === '' || /[\\/]$/.test(path) ? `${path}${name}` : path;

const inFolder = (path: string, name: string): string =>
  asFile(path === '' ? '' : `${path.replace(/(?<![\\/])[\\/]+$/, '')}/`, name);
