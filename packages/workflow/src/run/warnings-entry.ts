/** Warnings about a workflow, or about the jobs of a generator: on their way to the run, which writes them into its log. */
import { cutText } from '../environment/cut-text.ts';
import { extension } from './extensions.ts';

export const WARNINGS_ENTRY = 'tutti.warnings';

/** Characters of one warning in the log: a key may be as long as a document. */
export const WARNING_LENGTH_MAX = 4096;

interface Warned {
  readonly metadata: object;
}

export const warningsOf = ({ metadata }: Warned): readonly string[] =>
  extension.list(metadata, WARNINGS_ENTRY).map((text) => cutText(text, WARNING_LENGTH_MAX));

export function withoutWarnings<Event extends Warned>(event: Event): Event {
  if (!Object.hasOwn(event.metadata, WARNINGS_ENTRY)) return event;
  const kept = Object.entries(event.metadata).filter(([name]) => name !== WARNINGS_ENTRY);
  return { ...event, metadata: Object.fromEntries(kept) };
}
