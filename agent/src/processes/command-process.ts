/** Processes of commands, started here or by a lender. */
import type { EventEmitter } from 'node:events';
import type { Duplex, Readable } from 'node:stream';

/** The part of Node's child process that commands need. */
export interface CommandProcess extends EventEmitter {
  readonly pid?: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

/** It reads its instructions from the socket that it prints to later; closing the socket ends it. */
export interface WaitingProcess extends CommandProcess {
  readonly stdout: Duplex;
}

export const hasExited = ({ exitCode, signalCode }: CommandProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Ends the waiting process. */
export function letGo({ stdout, stderr }: WaitingProcess): void {
  stdout.destroy();
  stderr.destroy();
}
