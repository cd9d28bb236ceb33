/** From a publication of a plugin to an event of a run: what the run may take from outside, in the shape that it is used to. */
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

/** What the server knows better than a plugin: clocks differ, and a namespace must not be claimed. */
export interface KnownOfRun {
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  readonly now: Timestamp;
  /** Whose request it was. */
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
  // The schema of the kind holds what the type says, but for what was filled in above.
  const event = { ...publication, ...content, apiVersion, kind, metadata } as unknown as RunEvent;
  // Toolkits send results with maps without entries, which their schema refuses; these say nothing.
  return event.kind === 'ExecutionResult' ? (publishedEvent(event) as RunEvent) : event;
}

/** An event of a kind that no run knows; the kind must be one of those. */
export function otherEventFrom(
  publication: Publication,
  kind: string,
  known: KnownOfRun,
): OtherEvent {
  const { apiVersion, ...content } = publication;
  const told = entriesOf(publication.metadata).name;
  const name = typeof told === 'string' ? told : kind;
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
 * A publication that goes to inboxes alone: as it came, but for what the server knows better. `namespace` is that of the run that it is about;
 * null where it is about none.
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
/** What older plugins leave out. */
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
  // The schema of the kind holds what the type says.
  const errors = ofNoTest as unknown as FactOf<'ReportRead'>['generalErrors'];
  const told = specEntries({ type: 'ReportRead', generalErrors: errors });
  return { spec: { ...spec, testResults, ...told } };
}

/** Interpreters tell errors of whole reports by results without a test. */
const isOfNoTest = ({ name, errorsList }: Entries): boolean => !name && Array.isArray(errorsList);

const generalErrors = ({ attachment_origin, errorsList }: Entries): readonly Entries[] =>
  Array.isArray(errorsList)
    ? errorsList.map((error) => ({ ...entriesOf(error), attachment_origin }))
    : [];

/** A result that does not say which attachment it was found in is of the one that the notification is about, or of none. */
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

/** Empty for what is no object; own entries alone. */
export function entriesOf(value: unknown): Entries {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
