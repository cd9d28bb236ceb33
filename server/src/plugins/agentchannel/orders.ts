/** What an agent is told next, decided from what is known of it and of its job. */
import type { Agent, AgentOrder, Poll } from './agent.ts';
import { canRun } from './agent.ts';
import type { Command, JobSession, Transfer } from './job-session.ts';

export interface NextOrder {
  readonly order: AgentOrder;
  /**
   * The delivery must be durable before the agent gets the order: it cannot tell later whether it got it, so after a crash the
   * command counts as handed out.
   */
  readonly record: boolean;
}

export function nextOrder(agent: Agent, poll: Poll, nowMs: number): NextOrder | null {
  return agent.isOurs ? nextForOurs(agent, poll, nowMs) : nextForExisting(agent, nowMs);
}

function nextForOurs(agent: Agent, poll: Poll, nowMs: number): NextOrder | null {
  const { session } = agent;
  const command = session?.command ?? null;
  const isStray = poll.running !== command?.id && poll.running !== agent.lastResult;
  if (poll.running !== null && isStray) {
    // What runs there belongs to a job that was given up.
    if (agent.abandonedTold === poll.running) return null;
    agent.abandonedTold = poll.running;
    return plain({ kind: 'cancel', command_id: poll.running });
  }
  if (command === null) return null;
  if (command.phase !== 'collecting' && poll.last !== command.id) {
    command.phase = 'running';
    return plain(runOrder(command));
  }
  if (command.cancelAskedAtMs !== null && !command.cancelTold && command.phase === 'running') {
    command.cancelTold = true;
    return plain({ kind: 'cancel', command_id: command.id });
  }
  return nextTransfer(command, nowMs);
}

function nextForExisting(agent: Agent, nowMs: number): NextOrder | null {
  const command = agent.session?.command ?? null;
  if (command === null) return null;
  switch (command.phase) {
    case 'waiting':
      // An order to run something is lost on an agent that still runs what was given up.
      return agent.abandoned !== null && agent.isAsync ? null : start(agent, command);
    case 'running':
      return cancelIfAsked(agent, command);
    case 'collecting':
      return command.transfers.some(({ phase }) => phase !== 'queued')
        ? null
        : nextTransfer(command, nowMs);
  }
}

function start(agent: Agent, command: Command): NextOrder {
  const { scriptFileId } = command;
  if (scriptFileId !== null && !command.scriptTold) {
    command.scriptTold = true;
    const path = command.script.filename;
    return plain({ kind: 'put', file_id: scriptFileId, path, root: '' });
  }
  command.phase = 'running';
  agent.abandoned = null;
  agent.lastIdleAnswerMs = null;
  return { order: canRun(agent) ? runOrder(command) : execOrder(command), record: true };
}

/** Only an agent that polls while it runs something can be told to stop. */
function cancelIfAsked(agent: Agent, command: Command): NextOrder | null {
  if (command.cancelAskedAtMs === null || command.cancelTold || !agent.isAsync) return null;
  command.cancelTold = true;
  return plain({ kind: 'cancel', command_id: command.id });
}

function nextTransfer(command: Command, nowMs: number): NextOrder | null {
  const transfer = command.transfers.find(({ phase }) => phase === 'queued');
  if (command.phase !== 'collecting' || transfer === undefined) return null;
  transfer.phase = 'told';
  transfer.toldAtMs = nowMs;
  return plain({ kind: 'get', file_id: transfer.fileId, path: transfer.path });
}

const plain = (order: AgentOrder): NextOrder => ({ order, record: false });

function runOrder(command: Command): AgentOrder {
  const { filename, content } = command.script;
  return { ...execOrder(command), kind: 'run', command_id: command.id, filename, content };
}

function execOrder({ event, script }: Command): AgentOrder {
  // The release removes the variables file, so there is none to read after it.
  const variables =
    event.metadata.step_sequence_id < 0 ? {} : { variables_path: script.variablesPath };
  return { kind: 'exec', command: script.command, ...variables };
}

/** An order whose answer broke off: it is told again at the next poll. */
export function untell(session: JobSession | null, order: AgentOrder): void {
  const command = session?.command;
  if (command === null || command === undefined) return;
  if (order.kind === 'cancel') command.cancelTold = false;
  if (order.kind === 'get') requeue(command.transfers, order.file_id);
}

function requeue(transfers: readonly Transfer[], fileId: unknown): void {
  const transfer = transfers.find((each) => each.fileId === fileId);
  if (transfer?.phase === 'told') transfer.phase = 'queued';
}
