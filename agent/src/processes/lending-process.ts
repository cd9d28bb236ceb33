/**
 * The process of `process-lender.ts`: starts processes that wait for a command, hands their pipes over, and tells how they end. It ends
 * with whoever it lends to, by the channel between them.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { LenderNews, LoanRequest } from './process-lender.ts';
import { waitingOptions } from './waiting-options.ts';

/** How often it looks whether anybody is there: of an end that comes while a pipe is handed over, no event tells. */
const LOOK_MS = 500;

const tell = (news: LenderNews, pipe?: Socket): void => {
  if (!process.connected) process.exit();
  process.send?.(news, pipe, {}, (error) => {
    if (error !== null) process.exit();
  });
};

function lend({ id, invocation, place }: LoanRequest): void {
  const { file, args } = invocation;
  const child = spawn(file, args, waitingOptions(invocation, place));
  child.on('error', () => undefined);
  const { pid, stdout, stderr, stdio } = child;
  if (pid === undefined) throw new Error('The system has no process to give.');
  child.on('exit', (code, signal) => tell({ id, kind: 'ended', code, signal }));
  // All three are sockets. The one that makes it go on comes last: until then it prints nothing that could be read here.
  tell({ id, kind: 'stdout', pid }, stdout as Socket);
  tell({ id, kind: 'stderr' }, stderr as Socket);
  tell({ id, kind: 'gate' }, stdio[3] as Socket);
}

process.on('message', (request: LoanRequest) => {
  try {
    lend(request);
  } catch {
    tell({ id: request.id, kind: 'failed' });
  }
});
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (!process.connected) process.exit();
}, LOOK_MS);
