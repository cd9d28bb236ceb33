/**
 * Large events are redacted in a thread. The search looks for many masks in all written forms. In an event of some MiB, that takes seconds.
 */
import { createRedactor, type Redactor } from '@tutti/workflow';

export const REDACTION_LIMITS = {
  /** JSON that is redacted without a thread, in characters: 25 ms at worst. Most events with output are smaller. */
  lengthHere: 128 * 1024,
} as const;

export interface RedactionInput {
  readonly masks: readonly string[];
  readonly json: string;
}

export interface RedactedEvent {
  /** JSON of the event, in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface RedactionTask {
  readonly name: string;
  load(): Promise<(input: RedactionInput) => RedactedEvent>;
}

export const REDACT_EVENT: RedactionTask = {
  name: 'redact-event',
  load: async () => redactEvent,
};

function redactEvent({ masks, json }: RedactionInput): RedactedEvent {
  return { bytes: new Uint8Array(Buffer.from(createRedactor(masks).shownJson(json))) };
}

/** The threads that read documents. */
export interface RedactionThreads {
  run(
    task: RedactionTask,
    input: RedactionInput,
    asker: { readonly what: string; readonly share: string; readonly bytes: number },
  ): Promise<RedactedEvent>;
}

/**
 * The JSON of the event as it may be shown; null for one that can be redacted where it is. Throws as threads do: `Invalid` for one that takes
 * too long, `TooManyRequests` and `ServiceUnavailable`.
 */
export async function redactedInThread(
  threads: RedactionThreads,
  redactor: Redactor,
  json: string,
  share: string,
): Promise<string | null> {
  if (json.length <= REDACTION_LIMITS.lengthHere || redactor.leavesAlone(json)) return null;
  const { masks } = redactor;
  const asker = { what: 'An event of the workflow', share, bytes: json.length };
  const { bytes } = await threads.run(REDACT_EVENT, { masks, json }, asker);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
