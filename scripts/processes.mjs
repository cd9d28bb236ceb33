/** Child processes that are shown, watched and always ended. */
import { spawn } from 'node:child_process';

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

/** Starts a process whose output is kept, not shown. */
export function startQuiet(name, command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
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
    /** Resolves with the match once the output has it; rejects when the process ends before, or takes too long. */
    waitFor: (pattern, timeoutMs) =>
      waitFor({ name, pattern, timeoutMs, ended, listeners, read: () => output }),
    stop: (timeoutMs) => stop(child, ended, timeoutMs),
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

/** Asks a process to end, and kills it when it does not. */
async function stop(child, ended, timeoutMs) {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
