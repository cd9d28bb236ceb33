/** Child processes that are shown, watched and always ended. */
import { spawn } from 'node:child_process';
import { STARTED_AGAIN } from '../cli/bin/launcher-channel.js';

/** Characters of the output of a process that are kept for when it fails. */
const KEPT_MAX = 64 * 1024;

/** Runs a command on this terminal; resolves with its exit code. */
export function runShown(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/**
 * Starts `tutti` out of the reach of Ctrl-C. The caller ends several of them one after the other, because they depend on each other. A
 * command also ends when this process is killed, since their channel closes.
 */
function startTutti(node, script, args, { stdio, env, ...options }) {
  return spawn(node, [script, ...args], {
    stdio: [...stdio, 'ipc'],
    env: { ...env, [STARTED_AGAIN]: script },
    // On Windows, it would get a window of its own.
    detached: process.platform !== 'win32',
    ...options,
  });
}

/** Starts a command of `tutti` on this terminal. */
export function startShown(node, script, args, options) {
  const child = startTutti(node, script, args, { stdio: Array(3).fill('inherit'), ...options });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
  return { name: args[0], ended, output: null, ...stopping(child, ended) };
}

/** Starts a command of `tutti` whose output is kept, not shown. */
export function startQuiet(node, script, args, options) {
  const [name] = args;
  const child = startTutti(node, script, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  const listeners = new Set();
  const keep = (text) => {
    output = (output + text).slice(-KEPT_MAX);
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.on('error', (error) => keep(`${error.message}\n`));
  const ended = new Promise((resolve) => {
    child.on('close', resolve);
  });
  return {
    name,
    ended,
    output: () => output,
    /** Resolves with the match once the output contains it; rejects when the process ends before, or takes too long. */
    waitFor: (pattern, timeoutMs) =>
      waitFor({ name, pattern, timeoutMs, ended, listeners, read: () => output }),
    ...stopping(child, ended),
  };
}

function waitFor({ name, pattern, timeoutMs, ended, listeners, read }) {
  return new Promise((resolve, reject) => {
    const finish = (settle, value) => {
      clearTimeout(timer);
      listeners.delete(look);
      settle(value);
    };
    const look = () => {
      const match = pattern.exec(read());
      if (match !== null) finish(resolve, match);
    };
    const fail = (why) => finish(reject, new Error(`The ${name} ${why}.\n${lastLines(read())}`));
    const timer = setTimeout(() => fail(`was not ready after ${timeoutMs / 1000} s`), timeoutMs);
    listeners.add(look);
    ended.then(() => fail('ended before it was ready'));
    look();
  });
}

export function lastLines(text, count = 30) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

function stopping(child, ended) {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  let isAsked = false;
  const ask = () => {
    if (isRunning()) child.kill('SIGTERM');
  };
  return {
    /** Asks the process to end, and kills it when it does not. */
    stop: async (timeoutMs) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      isAsked = true;
      ask();
      await ended;
      clearTimeout(timer);
    },
    /** Asks an ending process once more: it then skips slow work. */
    urge: () => {
      if (isAsked) ask();
    },
  };
}

/** Settles as the promise does; rejects with the reason of the signal as soon as it is aborted. */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
