/**
 * Starts processes from a small process. The system copies the memory tables of the parent: milliseconds for a large one, a
 * fraction for a small one. A large parent does nothing else meanwhile.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LENDER_KEEP_MS } from '../limits.ts';
import type { WaitingProcess } from './command-process.ts';
import type { Invocation } from './platform.ts';
import { childrenOf, signalGroup } from './process-group.ts';
import type { ProcessPlace } from './waiting-options.ts';

export interface ProcessLender {
  /** A process that waits for its instructions, with pipes that are read here; null if none is available. */
  lend(invocation: Invocation, place: ProcessPlace): Promise<WaitingProcess | null>;
  /** The lender itself and the processes that it started, also those on their way here. */
  pids(): readonly number[];
  /** Ends the lender. Lent processes go on, but their end is not reported. */
  close(): void;
}

export interface LoanRequest {
  readonly id: number;
  readonly invocation: Invocation;
  readonly place: ProcessPlace;
}

/** Each message about one of the two pipes carries its end. */
export type LenderNews =
  | { readonly id: number; readonly kind: 'stderr'; readonly pid: number }
  | { readonly id: number; readonly kind: 'stdout' | 'failed' }
  | {
      readonly id: number;
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** Creates a lender for this process; its program lies beside this module. It ends `keepMs` after its last process, and starts again. */
export function createProcessLender(keepMs: number = LENDER_KEEP_MS): ProcessLender {
  const loans = new Map<number, Loan>();
  let lender: ChildProcess | null = null;
  let rest: NodeJS.Timeout | undefined;
  let isGone = false;
  let ids = 0;
  const lose = () => {
    isGone = true;
    for (const loan of loans.values()) loan.lose();
    loans.clear();
  };
  const endIdle = () => {
    lender?.removeAllListeners('exit').kill('SIGKILL');
    lender = null;
  };
  const open = (): ChildProcess => {
    const opened = startLending();
    opened.on('message', (news: LenderNews, pipe?: unknown) => {
      loans.get(news.id)?.hear(news, pipe instanceof Socket ? pipe : null);
      if (news.kind !== 'ended' && news.kind !== 'failed') return;
      loans.delete(news.id);
      if (loans.size === 0) rest = setTimeout(endIdle, keepMs).unref();
    });
    opened.once('error', lose);
    opened.once('exit', lose);
    return opened;
  };
  return {
    lend: (invocation, place) => {
      if (isGone) return Promise.resolve(null);
      clearTimeout(rest);
      lender ??= open();
      const loan = new Loan();
      ids += 1;
      loans.set(ids, loan);
      const request: LoanRequest = { id: ids, invocation, place };
      // The lender's end reports a failed send.
      lender.send(request, () => undefined);
      return loan.given;
    },
    pids: () => (lender?.pid === undefined ? [] : [lender.pid, ...childrenOf(lender.pid)]),
    close: () => {
      clearTimeout(rest);
      isGone = true;
      lender?.kill('SIGKILL');
    },
  };
}

/** Lends processes, or kills those of a user. */
export const LENDING_PROCESS = fileURLToPath(
  new URL(`./lending-process${extname(import.meta.url)}`, import.meta.url),
);

function startLending(): ChildProcess {
  const cache = getCompileCacheDir();
  const lender = fork(LENDING_PROCESS, {
    // Ctrl-C must reach only the parent.
    detached: true,
    cwd: '/',
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    // The system copies the tables of its memory for each process. The compiler, threads and new objects take half of it.
    execArgv: ['--single-threaded', '--max-semi-space-size=1'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  lender.unref();
  lender.channel?.unref();
  return lender;
}

/** One requested process. */
class Loan {
  readonly #given = Promise.withResolvers<WaitingProcess | null>();
  readonly given = this.#given.promise;
  #pid = 0;
  #stderr: Socket | null = null;
  #child: LentProcess | null = null;

  hear(news: LenderNews, pipe: Socket | null): void {
    switch (news.kind) {
      case 'stderr':
        this.#pid = news.pid;
        this.#stderr = pipe;
        break;
      case 'stdout':
        this.#give(pipe);
        break;
      case 'failed':
        this.#given.resolve(null);
        break;
      case 'ended':
        this.#end(news.code, news.signal);
    }
  }

  /** The lender that would report the end is gone. So the process is killed, which makes its end known. */
  lose(): void {
    if (this.#pid !== 0) signalGroup(this.#pid, 'SIGKILL');
    this.#end(null, 'SIGKILL');
  }

  #give(stdout: Socket | null): void {
    const stderr = this.#stderr;
    if (stdout !== null && stderr !== null)
      this.#child = new LentProcess(this.#pid, stdout, stderr);
    this.#given.resolve(this.#child);
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    this.#given.resolve(null);
    this.#child?.end(code, signal);
  }
}

class LentProcess extends EventEmitter implements WaitingProcess {
  readonly pid: number;
  readonly stdout: Socket;
  readonly stderr: Socket;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #open = 3;

  constructor(pid: number, stdout: Socket, stderr: Socket) {
    super();
    this.pid = pid;
    this.stdout = stdout;
    this.stderr = stderr;
    for (const pipe of [stdout, stderr]) {
      // An error of a pipe is followed by its close.
      pipe.on('error', () => undefined);
      pipe.once('close', () => this.#closeOne());
    }
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.exitCode = code;
    this.signalCode = signal;
    this.emit('exit', code, signal);
    this.#closeOne();
  }

  #closeOne(): void {
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }
}
