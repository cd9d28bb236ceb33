/**
 * The process of a command: its output by lines, its exit status, and its end on request.
 *
 * runs -> exited (background processes may still hold its pipes) -> over. The last state follows at most 500 ms after the exit.
 */
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { LATE_BYTES_MAX, LATE_OUTPUT_MS } from '../limits.ts';
import { createLineSplitter, type LineSplitter } from '../output/line-splitter.ts';
import type { OutputDecoder } from '../output/output-decoder.ts';
import type { LineRun, OutputStream } from '../output/output-lines.ts';
import { type CommandProcess, hasExited } from '../processes/command-process.ts';
import { endProcesses } from '../processes/end-processes.ts';
import type { Invocation, Platform } from '../processes/platform.ts';
import type { ProcessStarter } from '../processes/process-starter.ts';
import type { Timing } from '../timing.ts';

export interface RunningProcess {
  /** The exit status, 128 + n after signal n, once all output was handed on. Rejects when it could not be started. */
  readonly over: Promise<number>;
  /** Ends the process with everything it started; resolves when they are gone. May be called twice. */
  end(): Promise<void>;
  /** Reads no output until `resume`. Without effect after the exit, so that nothing can hold up the end. */
  pause(): void;
  resume(): void;
}

export interface RunProcessOptions {
  readonly invocation: Invocation;
  readonly starter: ProcessStarter;
  readonly platform: Platform;
  readonly timing: Timing;
  readonly decoder: OutputDecoder;
  readonly onLines: (stream: OutputStream, runs: readonly LineRun[]) => void;
}

export function runProcess(options: RunProcessOptions): RunningProcess {
  const { platform, timing, starter } = options;
  const child = starter.start(options.invocation);
  const exited = exitOf(child);
  // Without a process there may be no pipes either.
  const pipes = child.pid === undefined ? [] : openPipes(child, options);
  let ending: Promise<void> | null = null;
  let isOver = false;

  const finish = async (): Promise<number> => {
    const exitStatus = await exited;
    await drain(pipes, timing);
    await ending;
    isOver = true;
    return exitStatus;
  };

  return {
    over: finish(),
    end: async () => {
      // Afterwards, its id may belong to another process.
      if (isOver || child.pid === undefined) return;
      ending ??= endProcesses(child.pid, platform.kill, timing);
      await ending;
    },
    pause: () => {
      if (!hasExited(child)) for (const pipe of pipes) pipe.source.pause();
    },
    resume: () => {
      for (const pipe of pipes) pipe.source.resume();
    },
  };
}

function exitOf(child: CommandProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: Error) => {
      // A running process can have errors, too (an unsent signal); they do not end it.
      if (child.pid === undefined) reject(error);
    });
    child.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

interface Pipe {
  readonly source: Readable;
  /** Passes on the last line and stops reading. */
  readonly cut: () => void;
  /** Bytes read so far. */
  readonly bytes: () => number;
  readonly ended: Promise<void>;
}

function openPipes(
  { stdout, stderr }: CommandProcess,
  options: RunProcessOptions,
): readonly Pipe[] {
  return [openPipe('stdout', stdout, options), openPipe('stderr', stderr, options)];
}

function openPipe(
  stream: OutputStream,
  source: Readable,
  { decoder, onLines }: RunProcessOptions,
): Pipe {
  const splitter: LineSplitter = createLineSplitter(decoder);
  let bytes = 0;
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onLines(stream, splitter.push(chunk));
  });
  const ended = new Promise<void>((resolve) => {
    source.once('close', () => {
      onLines(stream, splitter.end());
      resolve();
    });
  });
  // An error of a pipe is followed by its close.
  source.on('error', () => undefined);
  return { source, cut: () => source.destroy(), bytes: () => bytes, ended };
}

/**
 * Reads the rest after the exit: until the pipes close, within limits of time and size. The output of the process is in the pipes by
 * then. A busy agent may not have read it when the time is over. So the pipes are cut once they are empty.
 */
async function drain(pipes: readonly Pipe[], timing: Timing): Promise<void> {
  const bytes = () => pipes.reduce((sum, pipe) => sum + pipe.bytes(), 0);
  const closed = Promise.all(pipes.map((pipe) => pipe.ended));
  const enough = new AbortController();
  const bytesAtExit = bytes();
  for (const { source } of pipes) {
    source.on('data', () => {
      if (bytes() - bytesAtExit > LATE_BYTES_MAX) enough.abort();
    });
    source.resume();
  }
  await Promise.race([closed, timing.wait(LATE_OUTPUT_MS, enough.signal)]);
  const isOpen = () => pipes.some(({ source }) => !source.closed) && !enough.signal.aborted;
  for (let before = -1; before < bytes() && isOpen(); ) {
    before = bytes();
    await turnOfReading();
  }
  enough.abort();
  for (const pipe of pipes) pipe.cut();
  await closed;
}

/** The loop reads between two calls of `setImmediate`. Before the first one, timers may run without any reading. */
const turnOfReading = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
