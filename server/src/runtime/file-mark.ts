/** Checks files before each use, and rereads those that changed. */
import { stat } from 'node:fs/promises';

const UNREADABLE = 'unreadable';

/** Changes when the file or its content is replaced. Never rejects. */
export async function fileMark(path: string): Promise<string> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return [size, mtimeNs, ctimeNs, ino].join(':');
  } catch {
    return UNREADABLE;
  }
}
