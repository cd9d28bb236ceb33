/** Files that are looked at before each use, and read anew when they are others than at the last look. */
import { stat } from 'node:fs/promises';

const UNREADABLE = 'unreadable';

/** Another text once the file is another one, or has another content. Never rejects. */
export async function fileMark(path: string): Promise<string> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return [size, mtimeNs, ctimeNs, ino].join(':');
  } catch {
    return UNREADABLE;
  }
}
