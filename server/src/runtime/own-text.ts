/** Copies the text. V8 keeps a whole text while any slice of it lives. So a text that is kept for long must be a copy. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
