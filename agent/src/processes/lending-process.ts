/**
 * The process of `process-lender.ts`: starts waiting processes, hands their pipes over, and reports their ends. It ends with its
 * parent, by the channel between them.
 *
 * With the id of a user as its argument, it kills all processes of that user instead: see `job-users.ts`.
 */
import { spawn } from 'node:child_process';
import { flushCompileCache } from 'node:module';
import type { Socket } from 'node:net';
import type { LenderNews, LoanRequest } from './process-lender.ts';
import { waitingOptions } from './waiting-options.ts';

/** Interval of checks whether the parent lives: if it ends while a pipe is handed over, no event reports it. */
const LOOK_MS = 500;

const sendNews = (news: LenderNews, pipe?: Socket): void => {
  if (!process.connected) process.exit();
  process.send?.(news, pipe, {}, (error) => {
    if (error !== null) process.exit();
  });
};

function lend({ id, invocation, place }: LoanRequest): void {
  const { file, args } = invocation;
  const child = spawn(file, args, waitingOptions(invocation, place));
  child.on('error', () => undefined);
  const { pid, stdout, stderr } = child;
  if (pid === undefined) throw new Error('The system has no process to give.');
  child.on('exit', (code, signal) => sendNews({ id, kind: 'ended', code, signal }));
  // Both are sockets. The one that starts the process comes last: until then it prints nothing.
  sendNews({ id, kind: 'stderr', pid }, stderr as Socket);
  sendNews({ id, kind: 'stdout' }, stdout as Socket);
}

function lendAll(): void {
  // Its parent ends it by a signal, which would lose the cache.
  flushCompileCache();
  process.on('message', (request: LoanRequest) => {
    try {
      lend(request);
    } catch {
      sendNews({ id: request.id, kind: 'failed' });
    }
  });
  process.on('disconnect', () => process.exit());
  setInterval(() => {
    if (!process.connected) process.exit();
  }, LOOK_MS);
}

/** The real user stays another one, so processes of this user cannot send signals back. As root, it would kill everything. */
function killAllOf(uid: number): void {
  if (process.getuid?.() === 0 || process.seteuid === undefined) process.exit(1);
  process.seteuid(uid);
  process.kill(-1, 'SIGKILL');
  process.exit();
}

const [uid] = /^\d+$/.exec(process.argv.at(-1) ?? '') ?? [];
if (uid === undefined) lendAll();
else killAllOf(Number(uid));
