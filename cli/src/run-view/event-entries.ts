/** What events have beside the interface, and what they ask for. */
import type { RunEventOf } from '@tutti/manifests';

/** An entry under a name of our own, if it is a text; other servers have none. */
export function textEntry(entries: object | undefined, name: string): string | null {
  const value = Object.getOwnPropertyDescriptor(entries ?? {}, name)?.value;
  return typeof value === 'string' ? value : null;
}

/** Earlier servers wrote flags of notifications as booleans, where published schemas have texts. */
export function isTrueEntry(entries: object, name: string): boolean {
  const value: unknown = Object.getOwnPropertyDescriptor(entries, name)?.value;
  return value === true || value === 'true';
}

/** The same for an entry with entries of its own. */
export function recordEntry(entries: object, name: string): object | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(entries, name)?.value;
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Calls of workflows look like generators. */
export function askedText(event: RunEventOf<'ExecutionCommand' | 'GeneratorCommand'>): string {
  if (event.kind === 'ExecutionCommand') return 'asks for an environment';
  const file = textEntry(recordEntry(event.metadata, 'tutti.uses'), 'file');
  return file === null ? `asks for its jobs: ${event.generator}` : `calls ${file}`;
}
