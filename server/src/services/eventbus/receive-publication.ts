/**
 * Handles publications that arrive over HTTP. An event for a run goes to that run. Inboxes get it with the commit, also when only
 * plugins know its kind. Other publications go unchanged to inboxes and to parts of this process: also refused events, and lists
 * of channels.
 */
import {
  type Actor,
  channelHandlerOf,
  isExternalEventKind,
  isOtherEventKind,
  isUuid,
  messages,
  OrchestratorError,
  type OtherEvent,
  parseWorkflowId,
  type RunEvent,
} from '@tutti/manifests';
import type { Access } from '../../auth/access.ts';
import { actorOf } from '../../auth/actor.ts';
import type { EventBus, Publication } from '../../bus/bus.ts';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import type { Audited } from '../../http/audit-log.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import { formatProblem } from '../../http/validate.ts';
import type { Clock } from '../../runtime/clock.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import {
  entriesOf,
  type KnownOfRun,
  otherEventFrom,
  publicationOf,
  runEventFrom,
} from './external-event.ts';
import { checkedEvent } from './external-problems.ts';
import { eventInstead, sentencesOf } from './malformed-event.ts';
import { keepPluginFiles, type PluginFilesDeps } from './plugin-files.ts';
import { checkPublication, PUBLISH, RESULT } from './publication-rights.ts';
import type { ReadPublication } from './read-publication.ts';

export interface ReceiveDeps {
  readonly bus: Pick<EventBus, 'publish'> & Pick<ServerEventBus, 'distribute' | 'publishOther'>;
  readonly store: Pick<Store, 'workflow'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ids of the channel handlers in this process. */
  readonly handlerIds: readonly string[];
  readonly files: Pick<PluginFilesDeps, 'blobs' | 'directory' | 'fileBytesMax'>;
}

/** Loaded with the first answer of a generator, because the checks of jobs are those of whole workflows. */
const loadGeneratedJobs = loadedOnce(() => import('./generated-jobs.ts'));

async function withJobProblems({ documents }: ReceiveDeps, event: RunEvent): Promise<RunEvent> {
  return event.kind === 'GeneratorResult'
    ? (await loadGeneratedJobs()).withJobProblems(documents, event)
    : event;
}

/** Resolves once the publication is durable wherever it goes; true when it went anywhere. Throws `Forbidden`. */
export async function receivePublication(
  deps: ReceiveDeps,
  read: ReadPublication,
  access: Access,
  audit: (about: Audited) => void = () => {},
): Promise<boolean> {
  const { publication } = read;
  const metadata = entriesOf(publication.metadata);
  const run = await knownRun(deps.store, metadata.workflow_id);
  audit(aboutOf(publication, run));
  checkPublication(access, publication, run);
  const actor = actorOf(access);
  // A list of channels concerns no run, although it must have a run id; handlers may send any.
  const sent = channelHandlerOf(publication);
  const about = sent === undefined ? run : null;
  if (about !== null && (await isTakenByRun(deps, read, knownOf(about, deps.clock, actor))))
    return true;
  checkHandler(deps.handlerIds, sent);
  const given = publicationOf(publication, { namespace: about?.namespace ?? null, actor });
  const { resource, verb } = sent === undefined ? PUBLISH : RESULT;
  return (await deps.bus.distribute(given, access.namespaces(resource, verb))) > 0;
}

/** For the audit log; the sender's text may have any length. */
function aboutOf({ kind, metadata }: Publication, run: WorkflowRow | null): Audited {
  const namespace: unknown = run?.namespace ?? entriesOf(metadata).namespace;
  return {
    ...(typeof kind === 'string' ? { kind: kind.slice(0, AUDITED_LENGTH) } : {}),
    ...(typeof namespace === 'string' ? { namespace: namespace.slice(0, AUDITED_LENGTH) } : {}),
    ...(run === null ? {} : { workflowId: run.workflowId }),
  };
}

/** Characters of a text of others in the audit log. */
const AUDITED_LENGTH = 100;

/** Only a handler of this server may list channels under its id. */
function checkHandler(handlerIds: readonly string[], sent: unknown): void {
  const { channelhandler_id: id } = entriesOf(sent);
  if (typeof id !== 'string' || !handlerIds.includes(id.toLowerCase())) return;
  throw new OrchestratorError('Forbidden', messages.handlerIsOurs(id));
}

async function knownRun(
  store: ReceiveDeps['store'],
  workflowId: unknown,
): Promise<WorkflowRow | null> {
  return isUuid(workflowId) ? store.workflow(parseWorkflowId(workflowId)) : null;
}

const knownOf = (
  { workflowId, namespace }: WorkflowRow,
  clock: Clock,
  actor: Actor,
): KnownOfRun => ({ workflowId, namespace, now: clock.timestamp(), actor });

/** An event of a plugin's own kind appears among the events of the run, whatever its content. */
async function isKept({ bus }: ReceiveDeps, event: OtherEvent): Promise<boolean> {
  return (await bus.publishOther(event)).outcome === 'accepted';
}

async function isTakenByRun(
  deps: ReceiveDeps,
  { publication, checked }: ReadPublication,
  known: KnownOfRun,
): Promise<boolean> {
  const { kind } = publication;
  if (isOtherEventKind(kind)) return await isKept(deps, otherEventFrom(publication, kind, known));
  if (!isExternalEventKind(kind)) return false;
  const about = { kind, workflowId: known.workflowId };
  const found = checked ?? checkedEvent(publication, kind, known.now);
  const sent = found.sent ?? publication;
  const { problems } = found;
  const ofJobs =
    problems.length === 0 || kind !== 'GeneratorResult'
      ? []
      : await (await loadGeneratedJobs()).problemsOfGenerated(
          deps.documents,
          sent,
          known.namespace,
        );
  // All problems of an answer, including those of its jobs.
  const all = [...problems, ...ofJobs];
  if (all.length > 0) {
    deps.logger.warn({ ...about, problems: all.map(formatProblem) }, 'Event not understood.');
  }
  const event =
    all.length === 0
      ? await withJobProblems(deps, runEventFrom(sent, kind, known))
      : eventInstead(sent, kind, sentencesOf(all), known);
  if (event === null) return false;
  await keepPluginFiles({ ...deps.files, logger: deps.logger }, event);
  const outcome = await deps.bus.publish(event);
  if (outcome.outcome === 'refused') deps.logger.info({ ...about, ...outcome }, 'Event refused.');
  return outcome.outcome === 'accepted';
}
