/** Headers of an attachment that a page of this server shows. It gets neither the rights of its reader nor the network. */
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { isText } from './content-type.ts';

/** Types that browsers show by themselves. */
const MEDIA = /^(?:image\/(?:avif|gif|jpeg|png|svg\+xml|webp)|video\/(?:mp4|ogg|webm))$/i;
const PAGE = /^text\/html$/i;
const XML = /^(?:application|text)\/(?:[\w.-]+\+)?xml$/i;

/** The frame of a page has an origin of its own: no cookies, no storage. Its scripts run, and load nothing. */
const PAGE_POLICY = [
  "default-src 'unsafe-inline' 'unsafe-eval' data: blob:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');
const OTHER_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'; frame-ancestors 'self'; sandbox";

/** Throws `UnsupportedMediaType` for a file that browsers do not show. */
export function viewHeaders(
  { headers }: FastifyRequest,
  type: string,
): Readonly<Record<string, string>> {
  const [bare = ''] = type.split(';');
  const isPage = PAGE.test(bare);
  const isMedia = MEDIA.test(bare);
  if (!isPage && !isMedia && !isText(bare) && !XML.test(bare)) {
    throw new OrchestratorError(
      'UnsupportedMediaType',
      `Browsers do not show files of the type ${bare}. What to do: download the file.`,
    );
  }
  return {
    // A text is shown as it is, whatever a browser would make of it.
    'Content-Type': isPage || isMedia ? type : type.replace(bare, 'text/plain'),
    // An address that somebody opens is a download.
    'Content-Disposition': headers['sec-fetch-dest'] === 'document' ? 'attachment' : 'inline',
    'Accept-Ranges': 'bytes',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': isPage ? PAGE_POLICY : OTHER_POLICY,
  };
}
