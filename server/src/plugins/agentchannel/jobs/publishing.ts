/** Publishes events about the commands of a job, together with the private record of the job. */
import {
  type Actor,
  type AttachmentMetadata,
  actorEntry,
  apiVersionOf,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  type LoggedEvent,
  type NotificationEvent,
  STEP_SEQUENCE,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { missingReports } from '@tutti/workflow';
import {
  createRangeCutter,
  type LineRange,
  maskEntries,
  metadataEntries,
  specEntries,
  testedEntries,
} from '@tutti/workflow/facts';
import type { Following, PublishOptions } from '../../../bus/bus.ts';
import type { DocumentWrite } from '../../../store/store.ts';
import type { Command, UploadedFile } from './command.ts';
import type { AgentChannelContext, Work } from './context.ts';
import { recordRemoval } from './job-session.ts';
import { lotsOf, type MarkedLines, piecesOf, type ResultLogs } from './log-lines.ts';
import { contactWrite } from './stored-contacts.ts';

/** Exit code of a command whose environment was lost. */
const LOST_STATUS = 1;

const entryOf = (actor: Actor | null) => (actor === null ? {} : actorEntry(actor));

type Publisher = Pick<Work, 'context' | 'command'>;

/** A notification with log lines of a command that goes on. */
function logNotification(
  { context, command: { event, actor } }: Publisher,
  { lines, stderr }: MarkedPiece,
  masks: readonly string[] = [],
): NotificationEvent {
  const { metadata } = event;
  return {
    apiVersion: apiVersionOf(context.apiGroup, 'Notification'),
    kind: 'Notification',
    metadata: {
      name: 'log notification',
      workflow_id: metadata.workflow_id,
      namespace: metadata.namespace,
      creationTimestamp: context.clock.timestamp(),
      job_id: metadata.job_id,
      job_origin: metadata.job_origin,
      step_id: metadata.step_id,
      step_origin: metadata.step_origin,
      step_sequence_id: metadata.step_sequence_id,
      ...entryOf(actor),
      ...maskEntries(masks),
    },
    spec: { ...specEntries({ type: 'StepPrinted', lines, stderr }) },
  };
}

/**
 * Publishes lines as they come, in one commit unless there are very many. `conclude` changes session and command. The last commit has
 * their record, so that it never runs ahead of the lines. After a failure the same lines must come again: those that were published
 * are skipped. The caller undoes the changes of `conclude`.
 */
export async function publishLines(
  work: Work,
  { logs, stderr }: MarkedLines,
  conclude: () => void,
): Promise<void> {
  const { command } = work;
  const cut = createRangeCutter(stderr);
  let last: Pieces = [];
  for (const lot of lotsOf(piecesOf(logs, command.published))) {
    if (last.length > 0) await publishPieces(work, last);
    command.note({ published: command.published + countLines(last) });
    last = marked(lot, command.published, cut);
  }
  conclude();
  await publishRecord(work, last);
  command.note({ published: 0 });
}

/** Lines of one notification, and which of them came on standard error. */
interface MarkedPiece {
  readonly lines: readonly string[];
  readonly stderr: readonly LineRange[];
}

type Pieces = readonly MarkedPiece[];

const NO_LINES: MarkedPiece = { lines: [], stderr: [] };

/** `first`: the number of lines before these. */
function marked(
  lot: readonly (readonly string[])[],
  first: number,
  cut: ReturnType<typeof createRangeCutter>,
): Pieces {
  let begin = first;
  return lot.map((lines) => {
    const piece = { lines, stderr: cut(begin, lines.length) };
    begin += lines.length;
    return piece;
  });
}

const countLines = (pieces: Pieces): number =>
  pieces.reduce((count, { lines }) => count + lines.length, 0);

/** Publishes a notification for each piece, and at least one, all of them in one commit. */
async function publishPieces(
  publisher: Publisher,
  pieces: Pieces,
  {
    documents = [],
    masks,
  }: { documents?: readonly DocumentWrite[]; masks?: readonly string[] } = {},
): Promise<void> {
  const { context, command } = publisher;
  const preceding = pieces.slice(0, -1).map((piece) => logNotification(publisher, piece));
  const last = logNotification(publisher, pieces.at(-1) ?? NO_LINES, masks);
  await context.bus.publish(last, { documents, preceding });
  for (const { lines } of pieces) command.logs.add(lines);
}

/** Writes the record of a session, together with lines and masks if there are any. */
async function publishRecord(work: Work, pieces: Pieces): Promise<void> {
  const { context, agent, session, command } = work;
  const documents = [session.record(command, countLines(pieces)), contactWrite(agent)];
  const masks = session.unpublishedMasks;
  if (pieces.length === 0 && masks.length === 0) {
    await context.store.write({ documents });
    return;
  }
  await publishPieces(work, pieces, { documents, masks });
  session.noteMasksPublished();
}

/** Publishes the result of a command that ended; a release ends the session. */
export async function publishResult(work: Work): Promise<void> {
  const { context, agent, session, command } = work;
  const isLast = command.isRelease || command.isReleased;
  const handOn = isLast ? await context.handOn(agent, session) : null;
  try {
    await session.orAsBefore(command, async () => {
      // Before the commit: the commit may begin the next command, which may write a record.
      const documents = [...session.lastRecord(command), contactWrite(agent)];
      await publishOutcome(context, resultOf(work), {
        documents,
        preceding: artifactsOf(context, command),
        following: [
          ...(command.isReleased ? [releasedWith(work)] : []),
          ...(handOn === null ? [] : [handOn.following]),
        ],
      });
    });
  } finally {
    handOn?.end();
  }
  session.noteMasksPublished();
  session.end(command);
  if (command.isRelease) agent.free(context, session);
}

/** The release that follows from the result has been done. */
const releasedWith =
  ({ context, session, command }: Work): Following =>
  (decided) => {
    const release = decided.find((event) => isReleaseOf(session.jobId, event));
    const outcome = { entries: entryOf(command.actor), status: 0 };
    return release === undefined ? null : resultFor(context, release, outcome);
  };

const isReleaseOf = (jobId: JobId, event: LoggedEvent): event is ExecutionCommandEvent =>
  event.kind === 'ExecutionCommand' &&
  event.metadata.job_id === jobId &&
  event.metadata.step_sequence_id === STEP_SEQUENCE.release;

/** Publishes a result. The run ignores it if it already has a result. The private documents are written in any case. */
async function publishOutcome(
  { bus, store, logger }: AgentChannelContext,
  event: ExecutionResultEvent,
  commit: PublishOptions & { readonly documents: readonly DocumentWrite[] },
): Promise<void> {
  const outcome = await bus.publish(event, commit);
  if (outcome.outcome === 'accepted') return;
  const { workflow_id: workflowId, job_id: jobId, step_id: stepId } = event.metadata;
  logger.warn({ workflowId, jobId, stepId, why: outcome.why }, 'A result was refused.');
  const { documents } = commit;
  if (documents.length > 0) await store.write({ documents });
}

/** The event about files that the command uploaded. The commit of its result includes the event, so that it appears once. */
function artifactsOf(
  context: AgentChannelContext,
  { event, artifacts, actor }: Command,
): readonly WorkflowResultEvent[] {
  if (artifacts.length === 0) return [];
  const { step_id: name, workflow_id, namespace, job_id } = event.metadata;
  const attachments = asAsked(artifacts);
  const creationTimestamp = context.clock.timestamp();
  return [
    {
      apiVersion: apiVersionOf(context.apiGroup, 'WorkflowResult'),
      kind: 'WorkflowResult',
      metadata: {
        ...{ name, workflow_id, namespace, creationTimestamp, job_id, attachments },
        ...entryOf(actor),
      },
      attachments: Object.keys(attachments),
    },
  ];
}

/** Files by path, in the order in which the step asked for them. */
function asAsked(files: readonly UploadedFile[]): Readonly<Record<string, AttachmentMetadata>> {
  const sorted = files.toSorted((one, other) => one.order - other.order);
  return Object.fromEntries(sorted.map((each) => [each.path, each.metadata]));
}

interface ResultParts extends Partial<ExecutionResultEvent> {
  readonly status: number;
  readonly entries: Partial<ExecutionResultEvent['metadata']>;
}

/** The result of a command. It has the metadata of the command, without the entries that served to run it. */
function resultFor(
  { apiGroup, clock }: AgentChannelContext,
  { metadata }: ExecutionCommandEvent,
  { entries, ...result }: ResultParts,
): ExecutionResultEvent {
  const { artifacts: _, ...rest } = metadata;
  return {
    apiVersion: apiVersionOf(apiGroup, 'ExecutionResult'),
    kind: 'ExecutionResult',
    metadata: { ...rest, creationTimestamp: clock.timestamp(), ...entries },
    ...result,
  };
}

function resultOf({ context, session, command }: Work): ExecutionResultEvent {
  const { lines, streamed, stderr } = command.logs.result();
  const { outputs, statusOverride, tested } = session.output;
  const { missingReports: beyond, absentReports: absent } = session.output;
  const variables = command.finished?.variables ?? {};
  const attachments = asAsked(command.attachments);
  const paths = Object.keys(attachments);
  const missing = missingReports({ beyond, absent, unread: command.unread });
  const entries = {
    ...entryOf(command.actor),
    ...(paths.length === 0 ? {} : { attachments }),
    ...metadataEntries({ type: 'StepAnswered', missingReports: missing, streamed, stderr }),
    ...(tested === undefined ? {} : testedEntries(tested)),
    ...maskEntries(session.unpublishedMasks),
  };
  return resultFor(context, command.event, {
    entries,
    status: statusOverride ?? command.finished?.exitStatus ?? LOST_STATUS,
    ...(lines.length === 0 ? {} : { logs: lines }),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    ...(paths.length === 0 ? {} : { attachments: paths }),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
  });
}

/** The loss of an environment. */
export interface Loss {
  readonly why: string;
  /** The output of the command before. */
  readonly logs?: Pick<ResultLogs, 'lines' | 'streamed'>;
  /** The command never began. */
  readonly isNotRun?: true;
}

/** Publishes the result of a command that has lost its environment. A release always succeeds: nothing is left to free. */
export async function publishLost(
  context: AgentChannelContext,
  event: ExecutionCommandEvent,
  { why, logs: { lines, streamed } = { lines: [], streamed: 0 }, isNotRun }: Loss,
): Promise<void> {
  const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
  const isEnd = sequence === STEP_SEQUENCE.release;
  const logs = isEnd ? lines : [...lines, `ERROR,${why}`];
  const entries = metadataEntries({
    type: 'StepAnswered',
    streamed,
    isNotRun: isNotRun === true && !isEnd,
  });
  const status = isEnd ? 0 : LOST_STATUS;
  const result = { entries, status, ...(logs.length === 0 ? {} : { logs }) };
  const documents = [recordRemoval(jobId)];
  await publishOutcome(context, resultFor(context, event, result), { documents });
}
