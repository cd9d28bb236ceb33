/** Makes sure that the installed packages are those of the lock file. Runs on older versions of Node too. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** What ends the installation before its time; the terminal may be gone with the last one. */
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs what the lock file says, unless it is there already. Resolves with null, or with an exit code when it was interrupted,
 * once npm has ended. Rejects, with npm's own words, when that fails.
 */
export async function ensureInstalled(root) {
  if (isInstalled(root)) return null;
  console.log('Installing the packages of package-lock.json (npm ci). This happens once.');
  const started = Date.now();
  const { code, output, interruption } = await npm(root, [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (interruption !== null) {
    console.error('npm has ended. What is missing is installed the next time.');
    return 128 + constants.signals[interruption];
  }
  if (code !== 0) throw new Error(`npm ci failed.\n${output.trim()}\n${adviceFor(output)}`);
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
  return null;
}

/** What another npm leaves behind in the folder while we remove what is in it. */
const IN_USE = /\b(?:ENOTEMPTY|EBUSY)\b/;

const adviceFor = (output) =>
  IN_USE.test(output)
    ? 'What to do: wait until no other npm works in this folder (one that was killed may leave processes), then run this again.'
    : 'What to do: check that the registry can be reached, then run "npm ci" by hand.';

/**
 * Runs npm out of the reach of Ctrl-C: it takes seconds to end, and whoever starts again meanwhile finds a folder that it still
 * works in. An interruption is passed on to it, and it is waited for; a second one kills it.
 */
function npm(root, args) {
  const isWindows = process.platform === 'win32';
  const own = process.env.npm_execpath;
  // The npm that runs us, if one does: there may be no other.
  const [file, ...rest] = own?.endsWith('.js')
    ? [process.execPath, own, ...args]
    : ['npm', ...args];
  let child = null;
  // Before it is there: it may be interrupted as soon as it is.
  const interruptions = passOn(() => child, isWindows);
  child = spawn(file, rest, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: isWindows && file === 'npm',
    // On Windows, it would get a window of its own.
    detached: !isWindows,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-OUTPUT_MAX);
    });
  }
  return new Promise((resolve) => {
    const end = (code) => {
      interruptions.ignore();
      resolve({ code, output, interruption: interruptions.first() });
    };
    child.on('error', (error) => {
      output += error.message;
      end(1);
    });
    child.on('close', end);
  });
}

/** Characters of what npm says that are kept for when it fails. */
const OUTPUT_MAX = 1024 * 1024;

/** The npm that runs us hands on what the terminal gives us, too: so long it is one and the same. */
const SAME_SIGNAL_MS = 100;

function passOn(running, isWindows) {
  let first = null;
  let firstMs = 0;
  const send = (signal) => {
    const child = running();
    try {
      if (isWindows) child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // It has ended just now.
    }
  };
  const interrupt = (signal) => {
    if (first !== null) {
      if (performance.now() - firstMs >= SAME_SIGNAL_MS) send('SIGKILL');
      return;
    }
    first = signal;
    firstMs = performance.now();
    console.error('\nInterrupted: waiting for npm to end, which may take some seconds.');
    send(signal);
  };
  for (const signal of INTERRUPTIONS) process.on(signal, interrupt);
  return {
    first: () => first,
    ignore: () => {
      for (const signal of INTERRUPTIONS) process.off(signal, interrupt);
    },
  };
}

/** npm leaves a lock file of what it installed; optional packages for other platforms are not in it. */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (present === null) return false;
  return Object.entries(wanted ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true || entry.link === true;
    // The lock file knows the sums of the packages that its author could fetch; those for other platforms may have none there.
    const isSame = entry.integrity === undefined || found.integrity === entry.integrity;
    return found.version === entry.version && isSame;
  });
}

function readPackages(file) {
  if (!existsSync(file)) return null;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
