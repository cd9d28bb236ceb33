/** The life of a command on an agent: begun, stopped, finished, its files collected, its result published. */
import {
  type AttachmentId,
  apiVersionOf,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type NotificationEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import {
  attachmentName,
  attachmentPath,
  buildScript,
  COMMAND_FAILED_STATUS,
  type OutputRequest,
} from '@tutti/workflow';
import type { DocumentWrite } from '../../store/store.ts';
import { type Agent, canRun, channelIdOf, osOf, rootOf } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import {
  begin,
  type Command,
  createCommand,
  type Finished,
  hasLastingOutput,
  type JobSession,
  recordOf,
  SESSIONS,
  type Transfer,
} from './job-session.ts';
import { piecesOf } from './log-lines.ts';

/** Exit code of a command that was stopped before it began: as if SIGTERM had ended it. */
export const STOPPED_STATUS = 143;
/** Exit code of a command whose environment was lost. */
const LOST_STATUS = 1;

export function beginCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  event: ExecutionCommandEvent,
): Command {
  const encoding = agent.registration.spec.encoding;
  const script = buildScript(event, {
    os: osOf(agent),
    root: rootOf(agent),
    ...(encoding === undefined ? {} : { encoding }),
  });
  const scriptFileId = canRun(agent) ? null : context.ids.random<AttachmentId>();
  const command = createCommand(event, script, scriptFileId);
  begin(session, command);
  return command;
}

export const isRelease = (command: Command): boolean =>
  command.event.metadata.step_sequence_id === STEP_SEQUENCE.release;

/** A notification with log lines of a command that goes on. */
export function logNotification(
  context: AgentChannelContext,
  event: ExecutionCommandEvent,
  logs: readonly string[],
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
    },
    spec: { logs },
  };
}

export function recordWrite(session: JobSession, command: Command): DocumentWrite {
  session.isRecorded = true;
  const json = JSON.stringify(recordOf(session, command));
  return { collection: SESSIONS, key: session.jobId, json };
}

/** Publishes lines as they come; `documents` go with the last piece, so that they never run ahead of the lines. */
export async function publishLines(
  context: AgentChannelContext,
  command: Command,
  lines: readonly string[],
  documents: readonly DocumentWrite[],
): Promise<void> {
  const pieces = piecesOf(lines);
  for (const [index, piece] of pieces.entries()) {
    const last = index === pieces.length - 1;
    const event = logNotification(context, command.event, piece);
    await context.bus.publish(event, { documents: last ? documents : [] });
    command.logs.add(piece, true);
  }
  if (pieces.length === 0 && documents.length > 0) await context.store.write({ documents });
}

/**
 * The process ended. Answers true when the result could be published at once; otherwise files have to be fetched first, and
 * what is known so far is durable.
 */
export async function finishCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  finished: Finished,
  lines: readonly string[],
): Promise<boolean> {
  command.finished = finished;
  const all = [...lines, ...refusedRequests(command)];
  command.transfers = transfersOf(context, agent, command);
  if (command.transfers.length === 0 && command.logs.fits(all)) {
    command.logs.add(all, false);
    await publishResult(context, agent, session, command);
    return true;
  }
  command.phase = 'collecting';
  const documents = command.transfers.length === 0 ? [] : [recordWrite(session, command)];
  await publishLines(context, command, all, documents);
  if (command.transfers.length > 0) return false;
  await publishResult(context, agent, session, command);
  return true;
}

function transfersOf(context: AgentChannelContext, agent: Agent, command: Command): Transfer[] {
  const transfers = command.requests.flatMap((request) =>
    request.kind === 'attach' ? [attachTransfer(context, agent, request)] : [],
  );
  const wantsVariables = !agent.isOurs && command.finished?.variables === null;
  if (wantsVariables && !isRelease(command)) transfers.push(variablesTransfer(context, command));
  return transfers;
}

function refusedRequests(command: Command): readonly string[] {
  const refused = command.requests.filter(({ kind }) => kind !== 'attach');
  if (refused.length === 0) return [];
  const variables = command.finished?.variables ?? null;
  command.finished = { variables, exitStatus: COMMAND_FAILED_STATUS };
  return refused.map(({ kind }) => `ERROR,This server does not serve the command ::${kind}.`);
}

function attachTransfer(
  context: AgentChannelContext,
  agent: Agent,
  { path, parameters }: OutputRequest,
): Transfer {
  const name = attachmentName(path, parameters, osOf(agent));
  return {
    fileId: context.ids.random<AttachmentId>(),
    path,
    attachment: { name, parameters: { ...parameters } },
    phase: 'queued',
    toldAtMs: 0,
  };
}

function variablesTransfer(context: AgentChannelContext, { script }: Command): Transfer {
  const fileId = context.ids.random<AttachmentId>();
  return { fileId, path: script.variablesPath, attachment: null, phase: 'queued', toldAtMs: 0 };
}

/** A file arrived, or could not be had (`error`). Answers the transfer's end; the caller publishes when none is left. */
export function endTransfer(
  context: AgentChannelContext,
  command: Command,
  transfer: Transfer,
  error: string | null,
): void {
  command.transfers = command.transfers.filter((each) => each !== transfer);
  const { event } = command;
  if (error !== null) {
    failTransfer(command, transfer, error);
  } else if (transfer.attachment !== null) {
    const { name, parameters } = transfer.attachment;
    const path = attachmentPath({
      jobId: event.metadata.job_id,
      uuid: transfer.fileId,
      sequence: event.metadata.step_sequence_id,
      name,
    });
    command.attachments.set(path, { ...parameters, uuid: transfer.fileId });
  }
  context.logger.debug({ path: transfer.path, error }, 'Transfer ended.');
}

/** A variables file that is not there is no error: the step left no variables. */
function failTransfer(command: Command, transfer: Transfer, error: string): void {
  if (transfer.attachment === null) return;
  command.logs.add([`ERROR,Could not read ${transfer.path}: ${error}.`], false);
  const variables = command.finished?.variables ?? null;
  command.finished = { variables, exitStatus: COMMAND_FAILED_STATUS };
}

export async function publishResult(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
): Promise<void> {
  const event = resultOf(context, session, command);
  const outcome = await context.bus.publish(event, { documents: documentsAfter(session, command) });
  if (outcome.outcome === 'refused') {
    context.logger.warn({ command: command.id, why: outcome.why }, 'Result refused.');
  }
  if (session.command === command) session.command = null;
  if (agent.session === session && session.command === null && isRelease(command)) {
    agent.session = null;
  }
}

function documentsAfter(session: JobSession, command: Command): readonly DocumentWrite[] {
  if (!isRelease(command) && hasLastingOutput(session)) return [recordWrite(session, command)];
  if (!session.isRecorded) return [];
  session.isRecorded = false;
  return [{ collection: SESSIONS, key: session.jobId, json: null }];
}

function resultOf(
  context: AgentChannelContext,
  session: JobSession,
  command: Command,
): ExecutionResultEvent {
  const { metadata } = command.event;
  const { lines, streamed } = command.logs.result();
  const { outputs, statusOverride } = session.output;
  const variables = command.finished?.variables ?? {};
  const attachments = Object.fromEntries(command.attachments);
  const paths = Object.keys(attachments);
  return {
    apiVersion: apiVersionOf(context.apiGroup, 'ExecutionResult'),
    kind: 'ExecutionResult',
    metadata: {
      ...metadata,
      creationTimestamp: context.clock.timestamp(),
      ...(paths.length === 0 ? {} : { attachments }),
      ...(streamed === 0 ? {} : { 'tutti.streamed': streamed }),
    },
    status: statusOverride ?? command.finished?.exitStatus ?? LOST_STATUS,
    ...(lines.length === 0 ? {} : { logs: lines }),
    ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    ...(paths.length === 0 ? {} : { attachments: paths }),
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
  };
}

/** The result of a command that no environment can give any more. A release always succeeds: there is nothing left to free. */
export async function publishLost(
  context: AgentChannelContext,
  event: ExecutionCommandEvent,
  why: string,
  kept: { readonly lines: readonly string[]; readonly streamed: number },
): Promise<void> {
  const isEnd = event.metadata.step_sequence_id === STEP_SEQUENCE.release;
  const logs = isEnd ? kept.lines : [...kept.lines, `ERROR,${why}`];
  await context.bus.publish(
    {
      apiVersion: apiVersionOf(context.apiGroup, 'ExecutionResult'),
      kind: 'ExecutionResult',
      metadata: {
        ...event.metadata,
        creationTimestamp: context.clock.timestamp(),
        ...(kept.streamed === 0 ? {} : { 'tutti.streamed': kept.streamed }),
      },
      status: isEnd ? 0 : LOST_STATUS,
      ...(logs.length === 0 ? {} : { logs }),
    },
    { documents: [{ collection: SESSIONS, key: event.metadata.job_id, json: null }] },
  );
}

export const isForAgent = (event: ExecutionCommandEvent, agent: Agent): boolean =>
  event.metadata.channel_id === channelIdOf(agent);
