/** Describes errors of the file system for people. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account has no right to',
  EPERM: 'this account has no right to',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
};

/** Reasons for paths that are read as directories. */
const REASONS_OF_DIRECTORIES: Readonly<Record<string, string>> = {
  ...REASONS,
  ENOENT: 'there is no such directory',
  ENOTDIR: 'it is a file, or a part of the path is',
};

/** Reason why a file cannot be used; rare errors keep the system's words. */
export function fileReason(error: unknown): string {
  const isListed = error instanceof Error && 'syscall' in error && error.syscall === 'scandir';
  const known = (isListed ? REASONS_OF_DIRECTORIES : REASONS)[codeOf(error) ?? ''];
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** A code such as `EACCES`; null for other errors. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

const ACTIONS: Readonly<Record<string, string>> = {
  mkdir: 'make the directory',
  open: 'open',
  read: 'read',
  scandir: 'read the directory',
  stat: 'read',
  unlink: 'remove',
  write: 'write to',
};

const FULL: readonly (string | null)[] = ['ENOSPC', 'EDQUOT'];

/** Advice for an error of the file system. */
export function fileAdvice(error: unknown): string {
  return FULL.includes(codeOf(error))
    ? 'make room on its disk, or choose a path on another one.'
    : 'choose another path, or see to it that this account may use this one.';
}

/** One sentence for an error about a file; null for others. */
export function fileProblem(error: unknown): string | null {
  const isKnown = REASONS[codeOf(error) ?? ''] !== undefined;
  if (!isKnown || !(error instanceof Error) || !('syscall' in error)) return null;
  // For open files, the system gives no path.
  if (!('path' in error)) {
    return FULL.includes(codeOf(error)) ? `Cannot write a file: ${fileReason(error)}.` : null;
  }
  const action = ACTIONS[String(error.syscall)] ?? 'use';
  // The directories above it exist: the system refuses new directories in that one.
  const isNoPlace = error.syscall === 'mkdir' && codeOf(error) === 'ENOENT';
  const why = isNoPlace ? 'none can be made there' : fileReason(error);
  return `Cannot ${action} ${String(error.path)}: ${why}.`;
}
