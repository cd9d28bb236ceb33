/** One command of the server, from its arrival until the server has its result. */
import type { RunOrder } from '@tutti/manifests';
import { type AgentLogger, describeError } from '../agent-logger.ts';
import type { KnownCommands } from '../connection/agent-paths.ts';
import type { Answer } from '../connection/http-connection.ts';
import { isRelease, type JobKeeper } from '../jobs/job-keeper.ts';
import type { AgentFolders } from '../jobs/job-places.ts';
import type { UserRange } from '../jobs/user-claims.ts';
import { REMEMBERED_COMMANDS_MAX } from '../limits.ts';
import type { OutputDecoder } from '../output/output-decoder.ts';
import { type LineRun, runOf } from '../output/output-lines.ts';
import { OutputSender, type PostBody, type SendOutcome } from '../output/output-sender.ts';
import type { Environment, Invocation, Platform } from '../processes/platform.ts';
import type { ProcessStarter } from '../processes/process-starter.ts';
import type { CommandResult } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import {
  readVariables,
  removeFew,
  removeLeftovers,
  removeScript,
  writeScript,
} from './command-files.ts';
import { type RunningProcess, runProcess } from './run-process.ts';

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

interface CommandDeskOptions {
  readonly start: (command: RunOrder) => CommandTask;
  readonly onEnd: (commandId: string, outcome: SendOutcome) => void;
}

/** The commands of one agent. One runs at a time; results of earlier ones may still be under way. */
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

interface CommandTask {
  readonly commandId: string;
  /** Ends the processes; the result is posted as usual, with the reason if the server does not know it. Resolves when they are gone. */
  cancel(why?: string): Promise<void>;
  /** Ends the processes without further posts. */
  abandon(): Promise<void>;
  /** True if only the acknowledgement of the result is missing, which need not be awaited. */
  supersede(): boolean;
  /** When no process runs and no post is under way any more. Never rejects. */
  readonly ended: Promise<SendOutcome>;
}

interface CommandTaskOptions {
  readonly folders: AgentFolders;
  readonly keepsWorkspaces: boolean;
  readonly users: UserRange | null;
  readonly environment: Environment;
  readonly platform: Platform;
  readonly starter: ProcessStarter;
  readonly job: Pick<JobKeeper, 'makeReady' | 'owner' | 'endProcesses' | 'end' | 'endAtOnce'>;
  readonly decoder: OutputDecoder;
  readonly post: (body: PostBody, signal: AbortSignal) => Promise<Answer>;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

/** Exit status of existing agents for a command that could not be started (wire facts 3.8). */
const NOT_STARTED_STATUS = 2;

/** Exit status of a process that SIGTERM ended; also of a command that was stopped before it began. */
const STOPPED_STATUS = 143;

export function startCommand(command: RunOrder, options: CommandTaskOptions): CommandTask {
  let running: RunningProcess | null = null;
  let canceledWhy: string | null = null;
  let isEnding = false;
  const isQuiet = quietness();
  const sender = new OutputSender({
    ...options,
    commandId: command.command_id,
    batchesUnderWay: command.batches_under_way ?? 1,
    takesBytes: command.output_bytes === true,
    onRoom: () => running?.resume(),
  });
  const start = (): RunningProcess => {
    writeScript(command, options.folders, options.job.owner());
    running = runProcess({
      ...options,
      invocation: invocationOf(command, options),
      onLines: (stream, runs) => {
        for (const run of runs) {
          isQuiet.hear(run);
          sender.append(stream, run);
        }
        if (sender.isFull()) running?.pause();
      },
    });
    return running;
  };

  const runScript = async (): Promise<number> => {
    try {
      await options.job.makeReady();
      await options.starter.settled();
      return isEnding ? STOPPED_STATUS : await start().over;
    } finally {
      removeScript(command, options.folders);
    }
  };
  const isLast = command.removal !== undefined || isRelease(command.command_id);
  const run = () => (isLast ? release(command, options, runScript) : runScript());
  const execution = execute(
    {
      ...{ command, sender, run },
      canceledWhy: () => canceledWhy,
      isOver: () => !isEnding && isQuiet.value && endJob(command, options),
    },
    options,
  );
  const end = async () => {
    isEnding = true;
    await running?.end();
  };
  return {
    commandId: command.command_id,
    cancel: async (why) => {
      canceledWhy ??= why ?? null;
      await end();
    },
    abandon: async () => {
      sender.abandon();
      await end();
    },
    supersede: () => sender.supersede(),
    ended: conclude(sender, execution, end),
  };
}

async function release(
  { removal }: RunOrder,
  options: CommandTaskOptions,
  runScript: () => Promise<number>,
): Promise<number> {
  const { job } = options;
  // Before the files, because surviving processes might write others.
  await job.endProcesses();
  const isRemoved =
    removal !== undefined &&
    (removeFew(removal, options) || (await removeLeftovers(removal, options)));
  const exitStatus = isRemoved ? 0 : await runScript();
  await job.end(isRemoved);
  return exitStatus;
}

/** Lines that are looked at: more of them would take long. */
const HEARD_LINES_MAX = 1_000;

/** Whether a command printed nothing that asks the server for something, such as a file of its workspace. */
function quietness() {
  let heard = 0;
  const state = {
    value: true,
    hear: ({ bytes, count, end }: LineRun) => {
      heard += count;
      // The rest of an open line is not known yet.
      const isPlain = end !== 'open' && heard <= HEARD_LINES_MAX;
      if (state.value) state.value = isPlain && !bytes.includes('::');
    },
  };
  return state;
}

function endJob({ release }: RunOrder, options: CommandTaskOptions): boolean {
  return release !== undefined && options.job.endAtOnce(() => removeFew(release, options));
}

function invocationOf(
  { command, words }: RunOrder,
  { platform, environment }: CommandTaskOptions,
): Invocation {
  return words === undefined ? platform.shell(command, environment) : platform.program(words);
}

interface Execution {
  readonly command: RunOrder;
  readonly sender: OutputSender;
  readonly run: () => Promise<number>;
  readonly canceledWhy: () => string | null;
  /** Ends the job if this was its last command, and nothing keeps it. */
  readonly isOver: () => boolean;
}

async function execute(
  { command, sender, run, canceledWhy, isOver }: Execution,
  { folders, starter, job }: CommandTaskOptions,
): Promise<void> {
  try {
    const exitStatus = await run();
    const why = canceledWhy();
    if (why !== null) sender.append('stderr', runOf([why]));
    const result = resultOf(command, exitStatus, sender, { folders, job });
    sender.finish(isOver() ? { ...result, released: true } : result);
  } catch (error) {
    const line = `The agent could not run the command: ${describeError(error)}`;
    sender.append('stderr', runOf([line]));
    sender.finish({ exit_status: NOT_STARTED_STATUS, variables: null });
  }
  // After the result is sent, which must not wait for this.
  setImmediate(starter.prepare);
}

function resultOf(
  { variables_path: file }: RunOrder,
  exitStatus: number,
  sender: OutputSender,
  { folders, job }: Pick<CommandTaskOptions, 'folders' | 'job'>,
): CommandResult {
  try {
    const variables = file === undefined ? null : readVariables(file, folders, job.owner());
    return { exit_status: exitStatus, variables };
  } catch (error) {
    const line = `The agent could not read the variables: ${describeError(error)}`;
    sender.append('stderr', runOf([line]));
    return { exit_status: exitStatus, variables: null };
  }
}

/** An unwanted command must not continue. */
async function conclude(
  sender: OutputSender,
  execution: Promise<void>,
  end: () => Promise<void>,
): Promise<SendOutcome> {
  const outcome = await sender.ended;
  if (outcome !== 'stored') await end();
  await execution;
  return outcome;
}
