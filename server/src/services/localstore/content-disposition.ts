import type { AttachmentId } from '@tutti/manifests';

/** Characters of a token (RFC 9110), which needs no quotes. */
const NO_TOKEN = /[^a-zA-Z0-9!#$&+.^_`|~-]/g;

/**
 * Existing clients take all text after the first `name=` as the file name. They expect the attachment's id before it, without quotes and
 * with nothing behind (clients facts 3.9). So that name is a plain token, always last. Any other name comes before it in the form that
 * browsers prefer (RFC 6266), which reads `filename*=`.
 */
export function contentDisposition(attachmentId: AttachmentId, name: string): string {
  const token = name.replace(NO_TOKEN, '_');
  const exact = token === name ? '' : ` filename*=UTF-8''${attachmentId}_${encodeName(name)};`;
  return `attachment;${exact} filename=${attachmentId}_${token}`;
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
