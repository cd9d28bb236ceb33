#!/usr/bin/env node
/**
 * Starts the command line. Plain JavaScript that older versions of Node can read too: a Node that is too old for the sources
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

/** Ends a restarted command together with its launcher, even if the launcher was killed. */
function endWithLauncher() {
  // Hints name the command as it was called.
  process.argv[1] = process.env[STARTED_AGAIN];
  // Commands that this one starts have no launcher.
  delete process.env[STARTED_AGAIN];
  if (!process.connected) return endAlone();
  process.once('disconnect', endAlone);
  // Lets a command end when it has nothing more to do.
  process.channel.unref();
}

/** Milliseconds between two checks whether the starter of the command still runs. */
const STARTER_CHECK_MS = 500;

/**
 * `npx` starts commands through a shell, and some shells do not pass on the signal that ends them. The command would go on, and
 * nobody could end it.
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

/** A cache of the user's own: in the shared temporary directory, others could put code into it. */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  nodeModule.enableCompileCache(join(caches, 'tutti'));
}

/** Node calls its SQLite interface experimental, and also the way in which a process replaces itself. Users can do nothing about it. */
function silenceWarnings() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (!/^(SQLite|process\.execve) is an experimental feature/.test(String(warning))) {
      emitWarning(warning, ...rest);
    }
  };
}

/** False in a removed directory: relative paths lead nowhere there. */
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
  // The error is printed, and no command began.
} else if (isNodeNewEnough()) {
  silenceWarnings();
  hideToken();
  cacheCompiledCode();
  const { runProcess } = await loadProgram();
  await runProcess();
} else {
  startAgain();
}
