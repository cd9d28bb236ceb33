/** Base64 of a text in UTF-8, with what browsers and servers both have. */

/** Arguments of one call are limited by the engines. */
const BYTES_PER_CALL = 8192;

export function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let start = 0; start < bytes.length; start += BYTES_PER_CALL) {
    binary += String.fromCharCode(...bytes.subarray(start, start + BYTES_PER_CALL));
  }
  return btoa(binary);
}
