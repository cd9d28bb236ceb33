/** The orders for an agent, each made from the state of its command. */
import type { AgentOrder, ExecOrder, RunOrder } from '@tutti/manifests';
import type { Handout } from './agent.ts';
import type { Command } from './command.ts';
import { LIMITS } from './limits.ts';
import type { Transfer } from './transfer.ts';

export function cancelIfAsked(command: Command, nowMs: number): Handout | null {
  const { cancelSentAtMs } = command;
  if (command.cancelAskedAtMs === null) return null;
  if (cancelSentAtMs !== null && nowMs - cancelSentAtMs < LIMITS.cancelResendMs) return null;
  command.note({ cancelSentAtMs: nowMs });
  return {
    order: { kind: 'cancel', command_id: command.id },
    isOnce: false,
    takeBack: () => command.note({ cancelSentAtMs: null }),
  };
}

/** The next transfer of a command. Files of one direction may move together; those of the other direction wait, to keep the order. */
export function nextTransfer(command: Command, nowMs: number): Handout | null {
  const { transfers } = command;
  const index = transfers.findIndex(({ phase }) => phase === 'queued');
  const transfer = transfers[index];
  if (transfer === undefined) return null;
  const isNext = (before: Transfer) => before.isOutgoing === transfer.isOutgoing;
  return transfers.slice(0, index).every(isNext) ? send(transfer, nowMs) : null;
}

export function send(transfer: Transfer, nowMs: number): Handout {
  const { fileId, path } = transfer;
  transfer.send(nowMs);
  return {
    order: transfer.isOutgoing
      ? { kind: 'put', file_id: fileId, path, root: PUT_ROOT }
      : { kind: 'get', file_id: fileId, path },
    isOnce: false,
    takeBack: () => transfer.takeBack(),
  };
}

/** Any text but an empty one means the directory that commands run in (wire facts 4.3). */
const PUT_ROOT = 'workspace';

export const plain = (order: AgentOrder): Handout => ({
  order,
  isOnce: false,
  takeBack: () => undefined,
});

export function runOrder(command: Command): RunOrder {
  const { filename, content } = command.script;
  return { ...execOrder(command), kind: 'run', command_id: command.id, filename, content };
}

export function execOrder({ event, script }: Command): ExecOrder {
  // The release removes the variables file, so there is none to read after it.
  const variables =
    event.metadata.step_sequence_id < 0 ? {} : { variables_path: script.variablesPath };
  return { kind: 'exec', command: script.command, ...variables };
}
