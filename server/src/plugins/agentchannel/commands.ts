/** The life of a command on an agent: begun, ended, its files moved, its result published. */
import type { AttachmentId, ExecutionCommandEvent } from '@tutti/manifests';
import {
  buildScript,
  COMMAND_FAILED_STATUS,
  missReport,
  type OutputReading,
  type Script,
} from '@tutti/workflow';
import { type Agent, canRun, osOf, rootOf } from './agent.ts';
import { type AgentChannelContext, insist } from './context.ts';
import {
  aboutSession,
  begin,
  type Command,
  createCommand,
  type Finished,
  inOrder,
  type JobSession,
  orAsBefore,
} from './job-session.ts';
import type { LogLines } from './log-lines.ts';
import { publishLines, publishResult } from './publishing.ts';
import { masked } from './transfer-end.ts';
import { planTransfers } from './transfer-plan.ts';

/** `logs`: what was published of its output before a restart. */
export function beginCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  event: ExecutionCommandEvent,
  logs?: LogLines,
): Command {
  const scriptFileId = canRun(agent) ? null : context.ids.random<AttachmentId>();
  const command = createCommand(event, scriptFor(agent, event), scriptFileId, logs);
  begin(session, command);
  return command;
}

export function scriptFor(agent: Agent, event: ExecutionCommandEvent): Script {
  const encoding = agent.registration.spec.encoding;
  return buildScript(event, {
    os: osOf(agent),
    root: rootOf(agent),
    ...(encoding === undefined ? {} : { encoding }),
  });
}

/**
 * The process ended, having said `reading` since the last post. The result is published at once if no file has to move first;
 * otherwise what is known so far is durable.
 */
export async function finishCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
  finished: Finished,
  reading: OutputReading,
): Promise<void> {
  const asked = [...command.requests, ...reading.requests];
  const plan = await planTransfers(
    { context, agent, command, finished, masks: reading.state.masks },
    asked,
  );
  const failures = plan.failures.map((line) => masked(reading.state, line));
  // Millions of lines are not copied.
  const lines = failures.length === 0 ? reading.logs : [...reading.logs, ...failures];
  const conclude = () => {
    session.output = plan.ignored.reduce(missReport, reading.state);
    command.phase = 'collecting';
    command.requests = plan.requests;
    command.finished =
      plan.failures.length === 0 ? finished : { ...finished, exitStatus: COMMAND_FAILED_STATUS };
    command.transfers = plan.transfers;
  };
  const isOneEvent =
    plan.transfers.length === 0 && command.published === 0 && command.logs.fits(lines);
  if (isOneEvent) {
    await orAsBefore(session, command, async () => {
      conclude();
      await command.logs.addWith(lines, () => publishResult(context, agent, session, command));
    });
    return;
  }
  await orAsBefore(session, command, () =>
    publishLines(context, agent, session, command, lines, conclude),
  );
  await publishIfCollected(context, agent, session, command);
}

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
  await insist(context, 'The result of a command that ended silently', aboutSession(session), () =>
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
