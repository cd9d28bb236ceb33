/** Turns a publication of a plugin into an event of a run. The event has only allowed content, in the form of the run. */
import {
  type Actor,
  actorEntry,
  apiVersionAsNamed,
  type ExternalEventKind,
  isUuid,
  type OtherEvent,
  publishedEvent,
  type RunEvent,
  type Timestamp,
  type WorkflowId,
  withoutOwnEntries,
} from '@tutti/manifests';
import { type FactOf, specEntries } from '@tutti/workflow/facts';
import type { Publication } from '../../bus/bus.ts';

type Entries = Readonly<Record<string, unknown>>;

/** Values that the server sets itself: clocks differ, and a plugin must not claim a namespace. */
export interface KnownOfRun {
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  readonly now: Timestamp;
  /** The actor of the request. */
  readonly actor: Actor;
}

/** The publication must have passed the schema of its kind. */
export function runEventFrom(
  publication: Publication,
  kind: ExternalEventKind,
  known: KnownOfRun,
): RunEvent {
  const metadata = { ...DEFAULT_METADATA[kind], ...metadataOf(publication, known) };
  const apiVersion = apiVersionAsNamed(publication.apiVersion, kind);
  const content = contentOf(publication, kind, metadata);
  // The schema of the kind guarantees the type, except for the values filled in above.
  const event = { ...publication, ...content, apiVersion, kind, metadata } as unknown as RunEvent;
  // Toolkits send results with maps without entries, which their schema refuses; these say nothing.
  return event.kind === 'ExecutionResult' ? (publishedEvent(event) as RunEvent) : event;
}

/** An event of a kind that runs do not know; `kind` must be such a kind. */
export function otherEventFrom(
  publication: Publication,
  kind: string,
  known: KnownOfRun,
): OtherEvent {
  const { apiVersion, ...content } = publication;
  const given = entriesOf(publication.metadata).name;
  const name = typeof given === 'string' ? given : kind;
  const metadata = { ...metadataOf(publication, known), name };
  return { ...content, ...(typeof apiVersion === 'string' ? { apiVersion } : {}), kind, metadata };
}

function metadataOf(publication: Publication, { workflowId, namespace, now, actor }: KnownOfRun) {
  return {
    ...withShortOrigins(withLowerCaseIds(withoutOwnEntries(entriesOf(publication.metadata)))),
    workflow_id: workflowId,
    namespace,
    creationTimestamp: now,
    ...actorEntry(actor),
  };
}

/**
 * A publication for inboxes alone: unchanged, except for values that the server sets. `namespace` is that of its run; null if it
 * concerns none.
 */
export function publicationOf(
  publication: Publication,
  { namespace, actor }: { readonly namespace: string | null; readonly actor: Actor },
): Publication {
  const { metadata } = publication;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return publication;
  }
  const known = namespace === null ? {} : { namespace };
  return { ...publication, metadata: { ...metadata, ...known, ...actorEntry(actor) } };
}

const ORIGINS = { job_origin: [], step_origin: [] };
/** Metadata that older plugins leave out. */
const DEFAULT_METADATA: Readonly<Record<ExternalEventKind, Entries>> = {
  ExecutionResult: ORIGINS,
  ProviderResult: ORIGINS,
  GeneratorResult: { job_origin: [] },
  ExecutionError: {},
  Notification: {},
  WorkflowResult: { attachments: {} },
  WorkflowCancellation: {},
};

function contentOf(publication: Publication, kind: ExternalEventKind, metadata: Entries): Entries {
  if (kind === 'WorkflowResult') return { attachments: publication.attachments ?? [] };
  if (kind !== 'Notification') return {};
  const spec = withoutOwnEntries(entriesOf(publication.spec));
  if (!Array.isArray(spec.testResults)) return { spec };
  const entries = withOrigins(spec.testResults, metadata);
  const testResults = entries.filter((entry) => !isOfNoTest(entry));
  const ofNoTest = entries.filter(isOfNoTest).flatMap(generalErrors);
  // The schema of the kind guarantees the type.
  const errors = ofNoTest as unknown as FactOf<'ReportRead'>['generalErrors'];
  const given = specEntries({ type: 'ReportRead', generalErrors: errors });
  return { spec: { ...spec, testResults, ...given } };
}

/** Interpreters report errors of whole reports as results without a test. */
const isOfNoTest = ({ name, errorsList }: Entries): boolean => !name && Array.isArray(errorsList);

const generalErrors = ({ attachment_origin, errorsList }: Entries): readonly Entries[] =>
  Array.isArray(errorsList)
    ? errorsList.map((error) => ({ ...entriesOf(error), attachment_origin }))
    : [];

/** A result without an attachment belongs to the attachment of the notification, or to none. */
function withOrigins(results: readonly unknown[], metadata: Entries): readonly Entries[] {
  const origins: unknown = metadata.attachment_origin;
  const origin: unknown = Array.isArray(origins) ? origins[0] : undefined;
  return results
    .map((result) => ({ attachment_origin: origin, ...entriesOf(result) }))
    .filter((result) => isUuid(result.attachment_origin));
}

/** Deeper than any run. The log indents each line by the depth of its event, so a depth must not come from outside unchecked. */
const ORIGIN_DEPTH_MAX = 64;

function withShortOrigins(entries: Entries): Entries {
  const short = Object.keys(ORIGINS).flatMap((name) => {
    const origin = entries[name];
    return Array.isArray(origin) ? [[name, origin.slice(0, ORIGIN_DEPTH_MAX)]] : [];
  });
  return { ...entries, ...Object.fromEntries(short) };
}

function withLowerCaseIds(entries: Entries): Entries {
  return Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [
      name,
      name.endsWith('_id') && isUuid(value) ? value.toLowerCase() : value,
    ]),
  );
}

/** Own entries only; empty if the value is no object. */
export function entriesOf(value: unknown): Entries {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
