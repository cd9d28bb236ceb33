/** Processes of commands, whoever started them. */
import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** What a child process of Node has of it that commands need. */
export interface CommandProcess extends EventEmitter {
  readonly pid?: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

export interface WaitingProcess {
  readonly child: CommandProcess;
  /** Where it is told what to do; closed, it ends. */
  readonly gate: Writable;
}

export const hasExited = ({ exitCode, signalCode }: CommandProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Nothing to read where it waits ends it. */
export function letGo({ child, gate }: WaitingProcess): void {
  gate.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}
