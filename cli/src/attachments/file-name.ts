/** File name of an attachment, cut from its path `/tmp/<x>_<y>_<file name>` as clients do (clients facts 3.8). */
export function fileNameOf(path: string): string {
  const cut = /^(?:\/tmp\/)?[^_]*_[^_]*_(.+)$/s.exec(path)?.[1];
  return cut ?? path.split('/').at(-1) ?? path;
}
