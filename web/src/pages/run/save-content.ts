/** Saves content as a file of the reader. */
export function saveContent(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[/\\]/g, '_');
  link.click();
  URL.revokeObjectURL(address);
}
