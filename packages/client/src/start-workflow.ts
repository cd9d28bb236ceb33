/**
 * Starts a run at a busy server. The server refuses before it starts anything, so the same request may be sent again. A request without an
 * answer is not repeated, since the run may have started.
 */
import { isOrchestratorError, type OrchestratorError } from '@tutti/manifests';
import type { Sleep } from './retry-delay.ts';
import type { TextBody } from './transport.ts';

/** Longer than a restart of the server, or a full disk that somebody looks at. Shorter than the patience of users. */
export const START_PATIENCE_MS = 5 * 60_000;
/** Pause between tries: the server names it; these are its bounds, and its default. */
const START_PAUSE_MS = { min: 1_000, max: 60_000, unsaid: 5_000 } as const;

export interface StartPatience {
  readonly sleep: Sleep;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause. */
  readonly onRefused?: ((refusal: OrchestratorError, pauseMs: number) => void) | undefined;
}

/** Tries until the server accepts. Rejects with the last refusal when the next try would come too late. */
export async function startPatiently<T>(
  start: () => Promise<T>,
  { sleep, random, now, signal, onRefused }: StartPatience,
): Promise<T> {
  const endMs = now() + START_PATIENCE_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isForNow(error)) throw error;
      const pauseMs = pauseAfter(error, random());
      if (now() + pauseMs > endMs) throw error;
      onRefused?.(error, pauseMs);
      await sleep(pauseMs, signal);
    }
  }
}

const isForNow = (error: unknown): error is OrchestratorError =>
  isOrchestratorError(error) &&
  (error.reason === 'TooManyRequests' || error.reason === 'ServiceUnavailable') &&
  !isOfUnknownOutcome(error);

/** The server does not know yet whether it started the run. */
const isOfUnknownOutcome = ({ details }: OrchestratorError): boolean =>
  details !== null && 'outcome' in details && details.outcome === 'unknown';

/** At least the pause that the server asks for. Up to half as much again, so that refused clients do not come back together. */
function pauseAfter({ retryAfterSeconds }: OrchestratorError, random: number): number {
  const { min, max, unsaid } = START_PAUSE_MS;
  const saidMs = retryAfterSeconds === null ? unsaid : retryAfterSeconds * 1000;
  return Math.min(max, Math.max(min, saidMs)) * (1 + random / 2);
}

interface MultipartParts {
  readonly file: { readonly name: string; readonly filename: string; readonly text: string };
  readonly fields: Readonly<Record<string, string>>;
  /** Contents of files, by the names of their parts. */
  readonly blobs: Readonly<Record<string, Blob>>;
}

/** A body without files is written here: `FormData` comes with all of `fetch`, which takes long to load. */
export function multipartBody(parts: MultipartParts): FormData | TextBody {
  return Object.keys(parts.blobs).length === 0 ? textBody(parts) : formOf(parts);
}

function formOf({ file, fields, blobs }: MultipartParts): FormData {
  const body = new FormData();
  body.set(file.name, new Blob([file.text]), file.filename);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  for (const [name, blob] of Object.entries(blobs)) body.set(name, blob, name);
  return body;
}

function textBody({ file, fields }: MultipartParts): TextBody {
  const boundary = boundaryBeside([file.text, ...Object.values(fields)]);
  const part = (disposition: string, type: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${text}\r\n`;
  const written = [
    part(`name="${file.name}"; filename="${file.filename}"`, OCTETS, file.text),
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, '', value)),
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    text: `${written.join('')}--${boundary}--\r\n`,
  };
}

const OCTETS = 'Content-Type: application/octet-stream\r\n';

/** A line that none of the texts has. */
function boundaryBeside(texts: readonly string[]): string {
  let boundary = 'tutti-part';
  for (let count = 0; texts.some((text) => text.includes(boundary)); count += 1) {
    boundary = `tutti-part-${count}`;
  }
  return boundary;
}
