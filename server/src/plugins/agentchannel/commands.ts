/** The life of a command on an agent: begun, ended, its files collected, its result published. */
import type { AttachmentId, ExecutionCommandEvent } from '@tutti/manifests';
import {
  attachmentName,
  attachmentPath,
  buildScript,
  COMMAND_FAILED_STATUS,
  type OutputReading,
  type OutputRequest,
  readOutput,
} from '@tutti/workflow';
import { type Agent, canRun, osOf, rootOf } from './agent.ts';
import { type AgentChannelContext, insist } from './context.ts';
import {
  begin,
  type Command,
  createCommand,
  createTransfer,
  type Finished,
  inOrder,
  type JobSession,
  orAsBefore,
  type Transfer,
} from './job-session.ts';
import type { LogLines } from './log-lines.ts';
import { isRelease, publishLines, publishResult } from './publishing.ts';

/** `logs`: what was published of its output before a restart. */
export function beginCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  event: ExecutionCommandEvent,
  logs?: LogLines,
): Command {
  const encoding = agent.registration.spec.encoding;
  const script = buildScript(event, {
    os: osOf(agent),
    root: rootOf(agent),
    ...(encoding === undefined ? {} : { encoding }),
  });
  const scriptFileId = canRun(agent) ? null : context.ids.random<AttachmentId>();
  const command = createCommand(event, script, scriptFileId, logs);
  begin(session, command);
  return command;
}

/**
 * The process ended, having said `reading` since the last post. The result is published at once if no file has to be fetched
 * first; otherwise what is known so far is durable.
 */
export async function finishCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  finished: Finished,
  reading: OutputReading,
): Promise<void> {
  const requests = [...command.requests, ...reading.requests];
  const refused = requests.filter(({ kind }) => kind !== 'attach');
  const transfers = transfersOf(context, agent, command, finished, requests);
  const lines = [...reading.logs, ...refused.map(refusalOf)];
  const conclude = () => {
    session.output = reading.state;
    command.phase = 'collecting';
    command.requests = requests.filter(({ kind }) => kind === 'attach');
    command.finished =
      refused.length === 0 ? finished : { ...finished, exitStatus: COMMAND_FAILED_STATUS };
    command.transfers = transfers;
  };
  const isOneEvent = transfers.length === 0 && command.published === 0 && command.logs.fits(lines);
  if (isOneEvent) {
    await orAsBefore(session, command, async () => {
      conclude();
      await command.logs.addWith(lines, () => publishResult(context, agent, session, command));
    });
    return;
  }
  await orAsBefore(session, command, () =>
    publishLines(context, session, command, lines, conclude),
  );
  await publishIfCollected(context, agent, session, command);
}

const refusalOf = ({ kind }: OutputRequest): string =>
  `ERROR,This server does not serve the command ::${kind}.`;

/** How a command ends that says nothing more; `line` tells why. */
export interface SilentEnd {
  readonly exitStatus: number;
  readonly line?: string;
}

/** From here on no poll may take the command. Its files are not fetched: it is not there to be asked. */
export function concludeSilently(command: Command, { exitStatus, line }: SilentEnd): void {
  command.phase = 'collecting';
  command.finished = { exitStatus, variables: {} };
  command.transfers = [];
  if (line !== undefined) command.logs.addLast(line);
}

/** The same, and publishes the result. Never rejects. */
export async function endSilently(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  end: SilentEnd,
): Promise<void> {
  concludeSilently(command, end);
  await insist(context, 'The result of a command that ended silently', () =>
    inOrder(session, () => publishIfCollected(context, agent, session, command)),
  );
}

/** Publishes the result once no file is waited for any more. Safe to repeat. */
export async function publishIfCollected(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
): Promise<void> {
  const isDue = session.command === command && command.phase === 'collecting';
  if (isDue && command.transfers.length === 0) {
    await publishResult(context, agent, session, command);
  }
}

function transfersOf(
  context: AgentChannelContext,
  agent: Agent,
  command: Command,
  finished: Finished,
  requests: readonly OutputRequest[],
): readonly Transfer[] {
  const transfers = requests.flatMap((request) =>
    request.kind === 'attach' ? [attachTransfer(context, agent, request)] : [],
  );
  const wantsVariables = !agent.isOurs && finished.variables === null && !isRelease(command);
  if (!wantsVariables) return transfers;
  return [...transfers, createTransfer(context.ids.random(), command.script.variablesPath, null)];
}

function attachTransfer(
  context: AgentChannelContext,
  agent: Agent,
  { path, parameters }: OutputRequest,
): Transfer {
  const name = attachmentName(path, parameters, osOf(agent));
  return createTransfer(context.ids.random(), path, { name, parameters: { ...parameters } });
}

/** A file arrived, or could not be had (`error`); the caller publishes when none is left. Does nothing for one that ended. */
export function endTransfer(
  context: AgentChannelContext,
  session: JobSession,
  command: Command,
  transfer: Transfer,
  error: string | null,
): void {
  if (!command.transfers.includes(transfer)) return;
  command.transfers = command.transfers.filter((each) => each !== transfer);
  if (error !== null) failTransfer(session, command, transfer, error);
  else if (transfer.attachment !== null) attach(command, transfer, transfer.attachment);
  context.logger.debug({ file_id: transfer.fileId, failed: error !== null }, 'Transfer ended.');
}

function attach(
  command: Command,
  { fileId }: Transfer,
  { name, parameters }: NonNullable<Transfer['attachment']>,
): void {
  const { job_id: jobId, step_sequence_id: sequence } = command.event.metadata;
  const path = attachmentPath({ jobId, uuid: fileId, sequence, name });
  command.attachments.set(path, { ...parameters, uuid: fileId });
}

/** A variables file that is not there is no error: the step left no variables. */
function failTransfer(
  session: JobSession,
  command: Command,
  transfer: Transfer,
  error: string,
): void {
  if (transfer.attachment === null) return;
  const why = error.replace(/\.$/, '');
  command.logs.addLast(masked(session, `ERROR,Could not read ${transfer.path}: ${why}.`));
  const variables = command.finished?.variables ?? null;
  command.finished = { variables, exitStatus: COMMAND_FAILED_STATUS };
}

/** Our own line about what an agent said, fit to be shown: masked and cut like its output. */
export function masked(session: JobSession, line: string): string {
  return readOutput(session.output, [{ stream: 'stderr', lines: [line] }]).logs.join(' ');
}
