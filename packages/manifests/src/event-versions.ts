/**
 * Versions of events. A plugin asks for a kind of event in the one version that it was made for, and checks what it gets by the
 * published schema of that version. So each plugin gets the event as its version has it. The event itself is named after the oldest
 * version that has all of its content, but not after an older one than the specification says.
 */
import { type Entries, isEntries } from './changed-entries.ts';
import { contentChanges } from './event-content.ts';
import {
  EVENT_VERSIONS,
  isRunEvent,
  type LoggedEvent,
  type RunEvent,
  type RunEventKind,
  UNGROUPED,
  UNGROUPED_VERSION,
} from './events.ts';
import { filled } from './job-versions.ts';
import { OWN_ENTRIES } from './own-entries.ts';

const FIRST = 'v1alpha1';
const GENERATIONS: readonly string[] = [FIRST, 'v1beta1', 'v1'];

/** Versions with a published schema, oldest first; plugins ask for these (wire facts 2.2). */
const KNOWN: Readonly<Record<RunEventKind, readonly string[]>> = {
  Workflow: GENERATIONS,
  ExecutionCommand: GENERATIONS,
  ProviderCommand: GENERATIONS,
  ProviderResult: GENERATIONS,
  GeneratorCommand: [FIRST],
  GeneratorResult: GENERATIONS,
  ExecutionResult: [FIRST, 'v1'],
  ExecutionError: [FIRST],
  Notification: [FIRST, 'v1alpha2'],
  WorkflowResult: [FIRST],
  WorkflowCancellation: ['v1'],
  WorkflowCompleted: [FIRST, 'v1'],
  WorkflowCanceled: [FIRST, 'v1'],
};

/**
 * The version under which an event comes to a subscription that asks for a version, or for none (null). One that the kind does not
 * have is never given.
 */
export function versionFor(
  apiGroup: string,
  event: LoggedEvent,
  asked: string | null,
): string | undefined {
  if (!isRunEvent(event)) return event.apiVersion;
  const { kind } = event;
  const isUngrouped = UNGROUPED.has(kind);
  if (isUngrouped && asked === UNGROUPED_VERSION) return asked;
  if (KNOWN[kind].some((version) => asked === `${apiGroup}/${version}`)) return asked ?? undefined;
  return isUngrouped ? `${apiGroup}/${EVENT_VERSIONS[kind]}` : event.apiVersion;
}

/**
 * The event as that version has it, the same object if there is nothing to change; null for a command that names no tag, where the
 * version needs one and the system of the environment is not known either.
 */
export function eventInVersion(
  event: LoggedEvent,
  apiVersion: string | undefined,
): LoggedEvent | null {
  if (!isRunEvent(event) || apiVersion === undefined) return event;
  const content = contentIn(event, partsOf(apiVersion).version);
  return content === null || content.apiVersion === apiVersion
    ? content
    : { ...content, apiVersion };
}

/** The event under the name of a version that has all of its content; the same object where it has that name. */
export function withOwnVersion(event: LoggedEvent): LoggedEvent {
  if (!isRunEvent(event) || UNGROUPED.has(event.kind)) return event;
  const { group, version } = partsOf(event.apiVersion);
  if (isWhole(event, version)) return event;
  const own = `${group}${ownVersion(event, version)}`;
  return own === event.apiVersion ? event : { ...event, apiVersion: own };
}

/** True where the version has all of the event. */
const isWhole = (event: RunEvent, version: string): boolean =>
  KNOWN[event.kind].includes(version) && contentIn(event, version) === event;

function ownVersion(event: RunEvent, named: string): string {
  const { kind } = event;
  const known = KNOWN[kind];
  const first = known.indexOf(named);
  const possible = known.slice(first < 0 ? known.indexOf(EVENT_VERSIONS[kind]) : first);
  const newest = known.at(-1) ?? EVENT_VERSIONS[kind];
  // Entries that no version has are left out of all, so they do not count.
  const whole = contentIn(event, newest) ?? event;
  return possible.find((version) => isWhole(whole, version)) ?? newest;
}

/**
 * The event as logs have it: with its own version. If it is published as it is, its text begins in another way than texts of earlier
 * versions, so that nobody has to look into it again (`isPublishedText`).
 */
export function loggedEvent(event: LoggedEvent): LoggedEvent {
  const named = withOwnVersion(event);
  if (!isRunEvent(named) || inNamedVersion(named) !== named) return named;
  const { apiVersion, kind, metadata, ...content } = named;
  const { workflow_id, ...about } = metadata;
  // The same entries in another order.
  return { apiVersion, kind, metadata: { workflow_id, ...about }, ...content } as LoggedEvent;
}

const PUBLISHED = /^\{"apiVersion":"[^"]*","kind":"[^"]*","metadata":\{"workflow_id":/;

/** True for the JSON text of an event that `loggedEvent` found to be published as it is. */
export const isPublishedText = (json: string): boolean => PUBLISHED.test(json);

/** The name of the entry of `metadata` that has what an author wrote and the published schema has no place for. */
const { asWritten: AS_WRITTEN } = OWN_ENTRIES;

/**
 * The event as listings and streams show it: valid under the published schema of its version. Sections of a workflow that say more than
 * the schema allows are in `metadata` as they were written. Results of workflows keep lists without entries, which clients need.
 */
export function publishedEvent(event: LoggedEvent): LoggedEvent {
  return inNamedVersion(withOwnVersion(event));
}

/** The event as the schema of the version has it that it is named after. */
function inNamedVersion(named: LoggedEvent): LoggedEvent {
  if (!isRunEvent(named) || named.kind === 'WorkflowResult') return named;
  const content = eventInVersion(named, named.apiVersion) ?? named;
  if (named.kind !== 'Workflow' || content === named) return content;
  const changed = Object.entries(named).filter(([name, value]) => Object(content)[name] !== value);
  const written = changed.filter(([, value]) => filled(value, '') !== undefined);
  if (written.length === 0) return content;
  const metadata = { ...named.metadata, [AS_WRITTEN]: Object.fromEntries(written) };
  return { ...content, metadata };
}

/** A workflow as its author wrote it, out of what was published of it. */
export function asWritten<Published extends { readonly metadata?: unknown }>(
  published: Published,
): Published {
  const { metadata } = published;
  if (!isEntries(metadata)) return published;
  const { [AS_WRITTEN]: written, ...others } = metadata;
  return isEntries(written) ? { ...published, ...written, metadata: others } : published;
}

interface VersionParts {
  /** With its slash; empty if there is none. */
  readonly group: string;
  readonly version: string;
}

function partsOf(apiVersion: string): VersionParts {
  const end = apiVersion.lastIndexOf('/') + 1;
  return { group: apiVersion.slice(0, end), version: apiVersion.slice(end) };
}

/** Null where the version cannot have the event. */
function contentIn(event: RunEvent, version: string): RunEvent | null {
  const placed = withTags(event, version);
  // Each kind keeps the form of its type: what is left out may be absent there.
  return placed === null ? null : (contentChanges[event.kind](placed, version) as RunEvent);
}

/**
 * Before v1 a command had a tag. The system is one that each environment has. Before an environment is chosen there is no tag to name: a
 * handler of one system would not know that the job may run on it.
 */
function withTags(event: RunEvent, version: string): RunEvent | null {
  if (event.kind !== 'ExecutionCommand' && event.kind !== 'ProviderCommand') return event;
  if (version === 'v1' || event['runs-on'].length > 0) return event;
  const os = event.kind === 'ExecutionCommand' ? event.metadata.channel_os : osOf(event.contexts);
  return os === undefined ? null : { ...event, 'runs-on': [os] };
}

function osOf({ runner }: Entries): string | undefined {
  return isEntries(runner) && typeof runner.os === 'string' ? runner.os : undefined;
}
