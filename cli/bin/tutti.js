#!/usr/bin/env node
/**
 * Starts the command line. Plain JavaScript that older versions of Node can read too: one that is too old to run the sources
 * starts the Node that came with the installation instead.
 */
import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hideToken } from './hidden-token.js';
import { installedNode, isNodeNewEnough, NODE_MAJOR_MIN } from './installed-node.js';
import { endAlone, STARTED_AGAIN } from './launcher-channel.js';
import { loadProgram } from './program.js';

function startAgain() {
  const node = installedNode();
  if (node === null) {
    console.error(
      `tutti: This is Node ${process.version}, and Tutti needs Node ${NODE_MAJOR_MIN} or newer.\n` +
        `None came with the installation for ${process.platform}-${process.arch} (optional packages may have been left out).\n` +
        `What to do: install Node ${NODE_MAJOR_MIN}, or install Tutti again with its optional packages.`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [STARTED_AGAIN]: process.argv[1] },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`tutti: Cannot start ${node}: ${error.message}`);
    process.exitCode = 2;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Ends a command that was started again with the process that stands for it, also when that one was killed and could say nothing. */
function endWithLauncher() {
  // Hints name the command as it was called.
  process.argv[1] = process.env[STARTED_AGAIN];
  // What this command starts is no such process.
  delete process.env[STARTED_AGAIN];
  if (!process.connected) return endAlone();
  process.once('disconnect', endAlone);
  // A command that has nothing more to do ends all the same.
  process.channel.unref();
}

/** How often a command looks whether who started it is still there. */
const STARTER_CHECK_MS = 500;

/**
 * `npx` starts commands through a shell, and some shells do not hand on the signal that ends them: the command would go on without
 * anybody who could end it.
 */
function endWithStarter() {
  if (process.env.npm_command !== 'exec' || process.platform === 'win32') return;
  const starter = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(timer);
    endAlone();
  }, STARTER_CHECK_MS);
  timer.unref();
}

/** A cache of one's own: in the shared temporary directory, others could put code into it. */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  nodeModule.enableCompileCache(join(caches, 'tutti'));
}

/** Node still calls the interface of its SQLite, and how a process takes its own place, experimental; users can do nothing about it. */
function silenceWarnings() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (!/^(SQLite|process\.execve) is an experimental feature/.test(String(warning))) {
      emitWarning(warning, ...rest);
    }
  };
}

/** False in a directory that was removed after a shell went there: no path that is relative leads anywhere. */
function hasWorkingDirectory() {
  try {
    process.cwd();
    return true;
  } catch {
    console.error(
      'tutti: The directory that this was called in is gone.\n' +
        'What to do: change to one that is there, then try again.',
    );
    process.exitCode = 2;
    return false;
  }
}

if (process.env[STARTED_AGAIN] !== undefined) endWithLauncher();
else endWithStarter();
if (!hasWorkingDirectory()) {
  // Told; nothing was begun.
} else if (isNodeNewEnough()) {
  silenceWarnings();
  hideToken();
  cacheCompiledCode();
  const { runProcess } = await loadProgram();
  await runProcess();
} else {
  startAgain();
}
