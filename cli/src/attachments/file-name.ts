/** What clients cut out of the path of an attachment: `/tmp/<x>_<y>_<file name>` (clients facts 3.8). */
export function fileNameOf(path: string): string {
  const cut = /^(?:\/tmp\/)?[^_]*_[^_]*_(.+)$/s.exec(path)?.[1];
  return cut ?? path.split('/').at(-1) ?? path;
}
