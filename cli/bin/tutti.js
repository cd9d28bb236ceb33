#!/usr/bin/env node
/**
 * Starts the command line. Plain JavaScript that older versions of Node can read, too. A Node that is too old for the sources starts the
 * Node of the installation instead.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installedNode, isNodeNewEnough, NODE_MAJOR_MIN } from './installed-node.js';
import { STARTED_AGAIN } from './launcher-channel.js';
import { loadProgram } from './program.js';
import { prepareProcess, startProgram } from './start.js';

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

if (prepareProcess()) {
  if (isNodeNewEnough()) await startProgram(loadProgram, 1);
  else startAgain();
}
