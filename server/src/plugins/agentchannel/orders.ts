/** What an agent is told next, decided from what is known of it and of its job. */
import type { AgentOrder, ExecOrder, RunOrder } from '@tutti/manifests';
import type { Agent, Handout, Poll } from './agent.ts';
import { canRun, isOperated } from './agent.ts';
import { type Command, isOutgoing, type Transfer } from './job-session.ts';
import { LIMITS } from './limits.ts';
import { isAtOwed, nextOwed } from './owed-releases.ts';
import { noteHandout } from './rhythm.ts';

/** Changes what is known of the command: it counts as handed out, as told to stop, and so on. */
export function nextOrder(agent: Agent, poll: Poll, nowMs: number): Handout | null {
  return agent.isOurs ? nextForOurs(agent, poll, nowMs) : nextForExisting(agent, nowMs);
}

/** True for a command that was told to stop and never reached the agent: it need not begin. */
export const isStoppedBefore = (command: Command, poll: Poll): boolean =>
  command.phase !== 'collecting' &&
  command.cancelAskedAtMs !== null &&
  poll.last !== command.id &&
  !isFromBefore(command, poll);

/**
 * True for a poll that cannot tell whether the command reached the agent: it names one that had not ended, as far as the agent knew, and
 * this one was in the answer that told it so. If that answer is lost the result is posted again, and answered again.
 */
function isFromBefore({ id, givenAfter }: Command, { running }: Poll): boolean {
  return givenAfter !== null && running !== null && running !== id;
}

/** True when what a poll tells is not enough: the agent is to ask again, knowing more. */
export function mustAskAgain({ session }: Agent, poll: Poll): boolean {
  const command = session?.command ?? null;
  const isToStop = command !== null && command.cancelAskedAtMs !== null;
  return isToStop && command.phase === 'running' && isFromBefore(command, poll);
}

function nextForOurs(agent: Agent, poll: Poll, nowMs: number): Handout | null {
  const command = agent.session?.command ?? null;
  if (command !== null && command.phase !== 'collecting' && isFromBefore(command, poll)) {
    return null;
  }
  if (isAtOwed(agent, poll)) return null;
  if (poll.running !== null && isStray(agent, command, poll.running)) {
    return cancelStray(agent, poll.running, nowMs);
  }
  if (command === null) return owedOrder(agent, poll);
  if (isStoppedBefore(command, poll)) return null;
  if (command.phase === 'collecting') return nextTransfer(command, nowMs);
  command.phase = 'running';
  return poll.last === command.id ? cancelIfAsked(command, nowMs) : plain(ownOrder(command));
}

function owedOrder(agent: Agent, poll: Poll): Handout | null {
  const owed = nextOwed(agent, poll);
  return owed === null ? null : plain(ownOrder(owed));
}

/** What runs there belongs to a job that was given up. What ended since the poll was opened does not run any more. */
function isStray(agent: Agent, command: Command | null, running: string): boolean {
  return running !== command?.id && running !== agent.lastResult;
}

function cancelStray(agent: Agent, commandId: string, nowMs: number): Handout | null {
  const told = agent.strayTold;
  if (told?.commandId === commandId && nowMs - told.atMs < LIMITS.cancelRetellMs) return null;
  agent.strayTold = { commandId, atMs: nowMs };
  return {
    order: { kind: 'cancel', command_id: commandId },
    isOnce: false,
    takeBack: () => {
      agent.strayTold = null;
    },
  };
}

function nextForExisting(agent: Agent, nowMs: number): Handout | null {
  const command = agent.session?.command ?? null;
  switch (command?.phase) {
    case undefined:
      return null;
    case 'waiting':
      // An order to run something is lost on an agent that still runs what was given up.
      return agent.abandoned !== null && agent.isAsync ? null : start(agent, command, nowMs);
    case 'running':
      return mayBeToldToStop(agent, command) ? cancelIfAsked(command, nowMs) : null;
    case 'collecting':
      return nextTransferOfExisting(command, nowMs);
  }
}

/**
 * Only an agent that polls while it runs something can be told to stop. One that may be of that kind, and asks while it has a command,
 * is told once: if it lost the command, it passes over the order, and every other one would hide that it sleeps. The first agents
 * never poll then, and operators end with the job what they do not know.
 */
function mayBeToldToStop(agent: Agent, command: Command): boolean {
  if (agent.isAsync) return true;
  const mayBeAsync = canRun(agent) && !isOperated(agent) && agent.rhythm.mode !== 'synchronous';
  return mayBeAsync && command.cancelToldAtMs === null;
}

function start(agent: Agent, command: Command, nowMs: number): Handout {
  const { scriptFileId } = command;
  const lacksScript = scriptFileId !== null && !command.scriptFetched;
  // One that cannot fetch the script may have it from before; if not, the command itself says what is missing.
  if (lacksScript && command.scriptTells < LIMITS.scriptTells) {
    command.scriptTells += 1;
    const path = command.script.filename;
    return plain({ kind: 'put', file_id: scriptFileId, path, root: '' });
  }
  command.phase = 'running';
  agent.abandoned = null;
  noteHandout(agent.rhythm, nowMs);
  return {
    order: canRun(agent) ? runOrder(command) : execOrder(command),
    isOnce: true,
    takeBack: () => {
      if (command.phase === 'running') command.phase = 'waiting';
    },
  };
}

function cancelIfAsked(command: Command, nowMs: number): Handout | null {
  const { cancelToldAtMs } = command;
  if (command.cancelAskedAtMs === null) return null;
  if (cancelToldAtMs !== null && nowMs - cancelToldAtMs < LIMITS.cancelRetellMs) return null;
  command.cancelToldAtMs = nowMs;
  return {
    order: { kind: 'cancel', command_id: command.id },
    isOnce: false,
    takeBack: () => {
      command.cancelToldAtMs = null;
    },
  };
}

/**
 * Existing agents take one file at a time. One that asks for work has done all it was told, so a file that it was told of some
 * time ago, and that does not come, is one it did not hear of.
 */
function nextTransferOfExisting(command: Command, nowMs: number): Handout | null {
  const told = command.transfers.find(({ phase }) => phase === 'told');
  if (told === undefined) return nextTransfer(command, nowMs);
  const isUnheard = told.moves === 0 && nowMs - told.toldAtMs >= LIMITS.transferRetellMs;
  return isUnheard && told.tells < LIMITS.transferTells ? tell(told, nowMs) : null;
}

/** Files of one direction may be on their way together; those of the other one wait, so that they move in the order asked for. */
function nextTransfer(command: Command, nowMs: number): Handout | null {
  const { transfers } = command;
  const index = transfers.findIndex(({ phase }) => phase === 'queued');
  const transfer = transfers[index];
  if (transfer === undefined) return null;
  const isNext = (before: Transfer) => isOutgoing(before) === isOutgoing(transfer);
  return transfers.slice(0, index).every(isNext) ? tell(transfer, nowMs) : null;
}

function tell(transfer: Transfer, nowMs: number): Handout {
  const { fileId, path } = transfer;
  transfer.phase = 'told';
  transfer.toldAtMs = nowMs;
  transfer.tells += 1;
  return {
    order: isOutgoing(transfer)
      ? { kind: 'put', file_id: fileId, path, root: PUT_ROOT }
      : { kind: 'get', file_id: fileId, path },
    isOnce: false,
    takeBack: () => {
      transfer.phase = 'queued';
    },
  };
}

/** Any text but an empty one means the directory that commands run in (wire facts 4.3). */
const PUT_ROOT = 'workspace';

const plain = (order: AgentOrder): Handout => ({ order, isOnce: false, takeBack: () => undefined });

export function ownOrder(command: Command): RunOrder {
  const { words, directory, workspace, removal } = command.script;
  return {
    ...runOrder(command),
    batches_under_way: LIMITS.batchesUnderWay,
    ...(words === null ? {} : { words }),
    ...(directory === null ? {} : { directory }),
    ...(workspace === null || workspace === directory ? {} : { workspace }),
    ...(removal === null ? {} : { removal }),
  };
}

function runOrder(command: Command): RunOrder {
  const { filename, content } = command.script;
  return { ...execOrder(command), kind: 'run', command_id: command.id, filename, content };
}

function execOrder({ event, script }: Command): ExecOrder {
  // The release removes the variables file, so there is none to read after it.
  const variables =
    event.metadata.step_sequence_id < 0 ? {} : { variables_path: script.variablesPath };
  return { kind: 'exec', command: script.command, ...variables };
}
