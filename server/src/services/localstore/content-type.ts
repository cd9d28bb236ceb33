/** Content type of a served attachment: the attached type, else the type for its name. */
import { dictionary, withoutParameters } from '@tutti/manifests';

const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i;

const TYPES: Readonly<Record<string, string>> = dictionary<string>({
  csv: 'text/csv',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  log: 'text/plain',
  md: 'text/markdown',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain',
  webm: 'video/webm',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
});

/** Content type of a file, without a charset, because the bytes count and not a label. */
export function contentType(name: string, attachedAs: string | null): string {
  const type = attachedAs === null ? '' : withoutParameters(attachedAs);
  if (MEDIA_TYPE.test(type)) return type;
  const extension = /\.([a-zA-Z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  return known ?? 'application/octet-stream';
}

/** Searched bytes at the beginning of a text. They exceed any head of a page, and are one read. */
export const BEGINNING_BYTES = 4096;

/** Types that say nothing of their charset by themselves; a document in XML does. */
const TEXT = /^(?:text\/(?!xml$)|application\/(?:json|yaml)$)/i;

export const isText = (type: string): boolean => TEXT.test(type);

/**
 * The type with `charset=utf-8` if the first `BEGINNING_BYTES` of the content are UTF-8. Without it many clients read ISO 8859-1;
 * a wrong one would keep them from guessing.
 */
export function textType(type: string, beginning: Uint8Array): string {
  return isUtf8(beginning) ? `${type}; charset=utf-8` : type;
}

function isUtf8(beginning: Uint8Array): boolean {
  // The last character may be incomplete.
  const stream = beginning.length >= BEGINNING_BYTES;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
