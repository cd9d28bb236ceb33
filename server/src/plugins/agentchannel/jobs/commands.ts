/** The life of a command on an agent: begun, ended, its files moved, its result published. */
import type { AttachmentId, ExecutionCommandEvent } from '@tutti/manifests';
import {
  artifactPath,
  attachmentPath,
  buildScript,
  COMMAND_FAILED_STATUS,
  endOutput,
  isLastCommand,
  isReportType,
  jobById,
  missReport,
  type OutputLines,
  type OutputReading,
  type OutputRequest,
  type OutputState,
  outputMessages,
  parseVariablesFile,
  plainRelease,
  readAhead,
  readOutput,
  type Script,
} from '@tutti/workflow';
import { type LineRange, markLines } from '@tutti/workflow/facts';
import { Turns } from '../../../runtime/turns.ts';
import { type Agent, osOf, rootOf } from './agent.ts';
import { type Command, createCommand, type Finished, type SilentEnd } from './command.ts';
import { type AgentChannelContext, type AgentJob, insistInTurn, type Work } from './context.ts';
import type { LogLines, MarkedLines } from './log-lines.ts';
import { outputPieces } from './output-pieces.ts';
import { wake } from './polls.ts';
import { publishLines, publishResult } from './publishing.ts';
import type { Transfer, TransferPurpose } from './transfer.ts';
import { planTransfers } from './transfer-plan.ts';

/** `logs`: output that was published before a restart. */
export function beginCommand(
  { context, agent, session }: AgentJob,
  event: ExecutionCommandEvent,
  logs?: LogLines,
): Command {
  const scriptFileId = agent.canRun ? null : context.ids.random<AttachmentId>();
  const release = releaseAfter({ context, agent, session }, event);
  const command = createCommand(event, scriptFor(agent, event), scriptFileId, { logs, release });
  session.begin(command);
  return command;
}

/** The files that the release will remove, if this command is the last of its job; else null. */
function releaseAfter({ context, agent, session }: AgentJob, event: ExecutionCommandEvent) {
  const run = context.runs.current(session.workflowId);
  const job = run === null ? null : jobById(run, session.jobId);
  return job !== null && isLastCommand(job) ? plainRelease(event, osOf(agent)) : null;
}

export function scriptFor(agent: Agent, event: ExecutionCommandEvent): Script {
  const encoding = agent.registration.spec.encoding;
  return buildScript(event, {
    os: osOf(agent),
    root: rootOf(agent),
    ...(encoding === undefined ? {} : { encoding }),
  });
}

/** Shells and agents report a signal by a status above this; existing agents also by a negative status. */
const SIGNAL_STATUS = 128;

/** True if the command was stopped or killed. An unfinished last line may be the beginning of a longer one then. */
export function isStopped({ cancelAskedAtMs }: Command, exitStatus: number | null): boolean {
  const isSignal = exitStatus !== null && (exitStatus > SIGNAL_STATUS || exitStatus < 0);
  return cancelAskedAtMs !== null || isSignal;
}

/** Publishes output of a command that goes on. */
export async function storeOutput(
  work: Work,
  output: readonly OutputLines[],
  nextBatch: number,
): Promise<void> {
  const { session, command } = work;
  const reading = await readInTurns(session.output, output);
  await session.orAsBefore(command, async () => {
    command.handOut();
    await publishLines(work, reading, () => {
      session.noteOutput(reading.state);
      command.note({ requests: [...command.requests, ...reading.requests], nextBatch });
    });
  });
}

interface ProcessEnd {
  readonly exitStatus: number;
  /** The lines of the variables file; undefined if it must be fetched. */
  readonly variables: readonly string[] | null | undefined;
  readonly output: readonly OutputLines[];
}

/** Handles the end of a process. */
export async function finish(
  work: Work,
  { exitStatus, variables, output }: ProcessEnd,
): Promise<void> {
  const read = await readInTurns(work.session.output, output);
  const reading = { ...endOutput(read), stderr: read.stderr };
  const parsed = variables === undefined ? null : parseVariablesFile(variables ?? []);
  await finishCommand(work, { exitStatus, variables: parsed }, reading);
}

/**
 * Handles the end of a process with its last output, `reading`. Publishes the result at once if no file has to move first;
 * otherwise stores all that is known so far.
 */
export async function finishCommand(
  work: Work,
  finished: Finished,
  { stderr = [], ...reading }: OutputReading & Partial<MarkedLines>,
): Promise<void> {
  const { session, command } = work;
  const asked = [...command.requests, ...reading.requests];
  const plan = await planTransfers({ ...work, finished, masks: reading.state.masks }, asked);
  const failures = plan.failures.map((line) => masked(reading.state, line));
  // Avoids a copy of millions of lines.
  const lines = failures.length === 0 ? reading.logs : [...reading.logs, ...failures];
  const exitStatus = failures.length === 0 ? finished.exitStatus : COMMAND_FAILED_STATUS;
  const conclude = () => {
    session.noteOutput(plan.ignored.reduce(missReport, reading.state));
    command.collect({ ...plan, finished: { ...finished, exitStatus } });
  };
  const isOneEvent =
    plan.transfers.length === 0 && command.published === 0 && command.logs.fits(lines);
  if (isOneEvent) {
    await session.orAsBefore(command, async () => {
      conclude();
      await command.logs.addWith(lines, () => publishResult(work), stderr);
    });
    return;
  }
  await session.orAsBefore(command, () => publishLines(work, { logs: lines, stderr }, conclude));
  await publishIfCollected(work);
}

/** Ends a command that sends nothing more, and publishes its result. Never rejects. */
export async function endSilently(work: Work, end: SilentEnd): Promise<void> {
  work.command.endSilently(end);
  const publish = () => publishIfCollected(work);
  await insistInTurn(work, 'The result of a command that ended silently', publish);
}

/** Publishes the result once all files have moved. Safe to repeat. */
export async function publishIfCollected(work: Work): Promise<void> {
  const { session, command } = work;
  const isDue = session.command === command && command.phase === 'collecting';
  if (isDue && command.transfers.length === 0) await publishResult(work);
}

/** Publishes the result of the current command when all files are here, otherwise asks for the next file. */
export async function publishWhenCollected(job: AgentJob): Promise<void> {
  const { command } = job.session;
  if (command?.phase !== 'collecting') return;
  if (command.transfers.length > 0) wake(job.context, job.agent);
  else await publishIfCollected({ ...job, command });
}

/** Ends the transfers of files that the agent has written. */
export async function endOutgoing(
  context: AgentChannelContext,
  agent: Agent,
  isMeant: (transfer: Transfer) => boolean,
): Promise<void> {
  const isWritten = (transfer: Transfer) => transfer.isOutgoing && isMeant(transfer);
  const { session } = agent;
  if (session?.command?.phase !== 'collecting') return;
  if (!session.command.transfers.some(isWritten)) return;
  const job = { context, agent, session };
  await insistInTurn(job, 'The result of a command with files', async () => {
    const { command } = session;
    if (command?.phase !== 'collecting') return;
    for (const transfer of command.transfers.filter(isWritten)) {
      endTransfer({ ...job, command }, transfer, null);
    }
    await publishWhenCollected(job);
  });
}

/** Size of a piece between two looks at the time. Its workflow commands take a few milliseconds at worst. */
const PIECE = { length: 16 * 1024, lines: 256 };

/** Reads output of a command, in several turns where that takes long. */
async function readInTurns(
  state: OutputState,
  output: readonly OutputLines[],
): Promise<OutputReading & MarkedLines> {
  const all = { logs: [] as string[], requests: [] as OutputRequest[], stderr: [] as LineRange[] };
  let current = state;
  const turns = new Turns();
  for (const each of output) {
    for (const piece of outputPieces(each, PIECE)) {
      await turns.run(readAhead(current, piece));
      const { state: next, logs, requests } = readOutput(current, [piece]);
      current = next;
      if (piece.stream === 'stderr') markLines(all.stderr, all.logs.length, logs.length);
      for (const log of logs) all.logs.push(log);
      all.requests.push(...requests);
      if (turns.isOver) await turns.next();
    }
  }
  return { ...all, state: current };
}

/** Ends a transfer, with an `error` if it failed. The caller publishes the result after the last one. Does nothing for an ended one. */
export function endTransfer(work: Work, transfer: Transfer, error: string | null): void {
  const { context, session, command } = work;
  if (!command.endTransfer(transfer)) return;
  if (error === null) keep(command, transfer);
  else failTransfer(work, transfer, error);
  const about = { ...session.about, fileId: transfer.fileId };
  context.logger.debug({ ...about, failed: error !== null }, 'Transfer ended.');
}

function keep(command: Command, { fileId, purpose }: Transfer): void {
  const {
    job_id: jobId,
    step_sequence_id: sequence,
    workflow_id: workflowId,
  } = command.event.metadata;
  if (purpose.kind !== 'attach' && purpose.kind !== 'upload') return;
  const { name, order, parameters } = purpose;
  const metadata = { ...parameters, uuid: fileId };
  if (purpose.kind === 'attach') {
    const path = attachmentPath({ jobId, uuid: fileId, sequence, name });
    command.keep('attachments', { path, metadata, order });
  } else {
    const path = artifactPath({ workflowId, uuid: fileId, name });
    command.keep('artifacts', { path, metadata, order });
  }
}

function failTransfer({ session, command }: Work, { purpose }: Transfer, error: string): void {
  const why = error.replace(/\.$/, '');
  const line = failureOf(purpose, why);
  if (line === null) return;
  const isKept = purpose.kind === 'attach' || purpose.kind === 'upload';
  const isReport = isKept && isReportType(purpose.parameters.type);
  command.failFile(masked(session.output, line), isReport ? { path: purpose.asked, why } : null);
}

/** A variables file that is not there is no error: the step left no variables. */
function failureOf(purpose: TransferPurpose, why: string): string | null {
  switch (purpose.kind) {
    case 'variables':
      return null;
    case 'attach':
    case 'upload':
      return outputMessages.fileNotRead(purpose.asked, why);
    case 'put':
    case 'download':
      return purpose.failure(why);
  }
}

/** Our own line about an agent's error. It is masked and cut like the command's output, and never within a group of that output. */
export function masked(output: OutputState, line: string): string {
  const outside = { ...output, isGrouped: false };
  return readOutput(outside, [{ stream: 'stderr', lines: [line] }]).logs.join(' ');
}
