/**
 * The commands of one agent. One runs at a time; results of earlier ones may still be under way. An accepted id never runs again.
 */
import type { RunOrder } from '@tutti/manifests';
import type { KnownCommands } from '../connection/agent-paths.ts';
import { REMEMBERED_COMMANDS_MAX } from '../limits.ts';
import type { SendOutcome } from '../output/output-sender.ts';
import type { CommandTask } from './command-task.ts';

export interface CommandDesk {
  /**
   * Starts the command; false if its id was accepted before. A running command is abandoned first: the server would not send
   * another one if it waited for it. A command whose result is under way is done.
   */
  accept(command: RunOrder): Promise<boolean>;
  /** Ends the processes of the command; without effect when it does not run. */
  cancel(commandId: string): void;
  /** `why` becomes the last line of their output. */
  cancelAll(why: string): void;
  /** Ends all processes and posts nothing more. */
  abandonAll(): Promise<void>;
  /** When every result has reached the server or was given up. */
  settled(): Promise<void>;
  /** A command counts as running until the server has its result. */
  known(): KnownCommands;
}

export interface CommandDeskOptions {
  readonly start: (command: RunOrder) => CommandTask;
  readonly onEnd: (commandId: string, outcome: SendOutcome) => void;
}

export function createCommandDesk({ start, onEnd }: CommandDeskOptions): CommandDesk {
  const accepted = new Set<string>();
  const tasks = new Map<string, CommandTask>();
  let last: string | null = null;
  /** An accepted command that waits for abandoned ones. */
  let starting: string | null = null;

  const follow = async (task: CommandTask): Promise<void> => {
    const outcome = await task.ended;
    tasks.delete(task.commandId);
    onEnd(task.commandId, outcome);
  };
  const remember = (commandId: string): void => {
    accepted.add(commandId);
    for (const oldest of accepted) {
      if (accepted.size <= REMEMBERED_COMMANDS_MAX) break;
      accepted.delete(oldest);
    }
  };
  const settled = async () => {
    await Promise.all([...tasks.values()].map((task) => task.ended));
  };
  const abandon = async (unwanted: readonly CommandTask[]) => {
    await Promise.all(unwanted.map((task) => task.abandon()));
    await Promise.all(unwanted.map((task) => task.ended));
  };
  const abandonAll = () => abandon([...tasks.values()]);

  return {
    accept: async (command) => {
      // Also of a repeated command: the server repeats it until it reads this id.
      last = command.command_id;
      if (accepted.has(command.command_id)) return false;
      remember(command.command_id);
      starting = command.command_id;
      await abandon([...tasks.values()].filter((task) => !task.supersede()));
      const task = start(command);
      tasks.set(command.command_id, task);
      if (starting === command.command_id) starting = null;
      void follow(task);
      return true;
    },
    cancel: (commandId) => void tasks.get(commandId)?.cancel(),
    cancelAll: (why) => {
      for (const task of tasks.values()) void task.cancel(why);
    },
    abandonAll,
    settled,
    known: () => {
      const isRunning = last !== null && (last === starting || tasks.has(last));
      return { last, running: isRunning ? last : null };
    },
  };
}
