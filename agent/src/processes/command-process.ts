/** Processes of commands, started here or by a lender. */
import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** The part of Node's child process that commands need. */
export interface CommandProcess extends EventEmitter {
  readonly pid?: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

export interface WaitingProcess {
  readonly child: CommandProcess;
  /** Pipe for its instructions; closing it ends the process. */
  readonly gate: Writable;
}

export const hasExited = ({ exitCode, signalCode }: CommandProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Closing the pipe ends the waiting process. */
export function letGo({ child, gate }: WaitingProcess): void {
  gate.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}
