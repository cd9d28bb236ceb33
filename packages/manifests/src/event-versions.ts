/**
 * Versions of events. A plugin subscribes to a kind of event in one version. It checks events by the published schema of that version. So
 * each plugin gets the event in its version. The event itself has the oldest version that allows all of its content. It is never older than
 * the specification says.
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
  TestsCommand: [FIRST],
  TestsResult: [FIRST],
  ExecutionResult: [FIRST, 'v1'],
  ExecutionError: [FIRST],
  Notification: [FIRST, 'v1alpha2'],
  WorkflowResult: [FIRST],
  WorkflowCancellation: ['v1'],
  WorkflowCompleted: [FIRST, 'v1'],
  WorkflowCanceled: [FIRST, 'v1'],
};

/**
 * The version of an event for a subscription that asks for a version, or for none (null). A version that the kind lacks
 * is never used.
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
 * The event in that version, the same object if nothing changes. Null for a command without a tag. The version needs one, and the system of
 * the environment is unknown.
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

/** The event with the version that allows all of its content; the same object if it has that version already. */
export function withOwnVersion(event: LoggedEvent): LoggedEvent {
  if (!isRunEvent(event) || UNGROUPED.has(event.kind) || isWholeAsNamed(event)) return event;
  const { group, version } = partsOf(event.apiVersion);
  const own = `${group}${ownVersion(event, version)}`;
  return own === event.apiVersion ? event : { ...event, apiVersion: own };
}

/** True for an event with a group whose own version allows all of its content. */
const isWholeAsNamed = (event: LoggedEvent): boolean =>
  isRunEvent(event) &&
  !UNGROUPED.has(event.kind) &&
  isWhole(event, partsOf(event.apiVersion).version);

/** True if the version allows all content of the event. */
const isWhole = (event: RunEvent, version: string): boolean =>
  KNOWN[event.kind].includes(version) && contentIn(event, version) === event;

function ownVersion(event: RunEvent, named: string): string {
  const { kind } = event;
  const known = KNOWN[kind];
  const first = known.indexOf(named);
  const possible = known.slice(first < 0 ? known.indexOf(EVENT_VERSIONS[kind]) : first);
  const newest = known.at(-1) ?? EVENT_VERSIONS[kind];
  // Entries that no version has are always dropped, so they do not count.
  const whole = contentIn(event, newest) ?? event;
  return possible.find((version) => isWhole(whole, version)) ?? newest;
}

/**
 * The event for the log, with its own version. A text that can be published unchanged begins differently from texts of earlier versions. So
 * nobody has to check it again (`isPublishedText`).
 */
export function loggedEvent(event: LoggedEvent): LoggedEvent {
  const isAsNamed = isWholeAsNamed(event);
  const named = isAsNamed ? event : withOwnVersion(event);
  if (!isRunEvent(named) || !(isAsNamed || inNamedVersion(named) === named)) return named;
  const { apiVersion, kind, metadata, ...content } = named;
  const { workflow_id, ...about } = metadata;
  // The same entries in another order.
  return { apiVersion, kind, metadata: { workflow_id, ...about }, ...content } as LoggedEvent;
}

const PUBLISHED = /^\{"apiVersion":"[^"]*","kind":"[^"]*","metadata":\{"workflow_id":/;

/** True for the JSON text of a logged event that can be published unchanged. */
export const isPublishedText = (json: string): boolean => PUBLISHED.test(json);

/** The entry of `metadata` with those sections of a workflow that the published schema does not allow. */
const { asWritten: AS_WRITTEN } = OWN_ENTRIES;

/**
 * The event for listings and streams: valid under the published schema of its version. If sections of a workflow exceed
 * the schema, `metadata` has them as they were written. Results of workflows keep empty lists, which clients need.
 */
export function publishedEvent(event: LoggedEvent): LoggedEvent {
  return inNamedVersion(withOwnVersion(event));
}

/** The event as the schema of its own version allows it. */
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

/** Restores a workflow from its published form, as its author wrote it. */
export function asWritten<Published extends { readonly metadata?: unknown }>(
  published: Published,
): Published {
  const { metadata } = published;
  if (!isEntries(metadata)) return published;
  const { [AS_WRITTEN]: written, ...others } = metadata;
  return isEntries(written) ? { ...published, ...written, metadata: others } : published;
}

interface VersionParts {
  /** The group with its slash; empty if there is none. */
  readonly group: string;
  readonly version: string;
}

function partsOf(apiVersion: string): VersionParts {
  const end = apiVersion.lastIndexOf('/') + 1;
  return { group: apiVersion.slice(0, end), version: apiVersion.slice(end) };
}

/** The content in a version; null if that version cannot have the event. */
function contentIn(event: RunEvent, version: string): RunEvent | null {
  const placed = withTags(event, version);
  // Each kind keeps the form of its type: dropped entries are optional there.
  return placed === null ? null : (contentChanges[event.kind](placed, version) as RunEvent);
}

/**
 * Before v1 a command had a tag. The system of the environment is a tag that each has. Before an environment is chosen there is none. A
 * handler of one system could not know that the job may run there.
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
