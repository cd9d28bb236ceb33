/** Checks the type of a file before it is read: reading a pipe would wait for a writer. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface SeenFile {
  readonly file: string;
  /** Changes when the content may have changed; null if it is no file. */
  readonly mark: string | null;
  readonly kind: 'a file' | 'a directory' | 'a pipe' | 'a socket' | 'a device';
  readonly size: number;
}

/** Size and times of a file. Rejects as `stat` does. */
export async function lookAt(file: string): Promise<SeenFile> {
  const info = await stat(file);
  const mark = [info.ino, info.size, info.mtimeMs, info.ctimeMs].join();
  return { file, mark: info.isFile() ? mark : null, kind: kindOf(info), size: info.size };
}

function kindOf(info: Stats): SeenFile['kind'] {
  if (info.isFile()) return 'a file';
  if (info.isDirectory()) return 'a directory';
  if (info.isFIFO()) return 'a pipe';
  return info.isSocket() ? 'a socket' : 'a device';
}
