/** Makes sure that the installed packages are those of the lock file. Runs on older versions of Node too. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Signals that interrupt the installation. After `SIGHUP` the terminal may be gone. */
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs the packages of the lock file, unless they are there already. Resolves with null, or with an exit code after an interruption,
 * once npm has ended. Rejects with npm's own words when that fails.
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

/** Errors of npm when another npm writes into the folder that ours removes. */
const IN_USE = /\b(?:ENOTEMPTY|EBUSY)\b/;

const adviceFor = (output) =>
  IN_USE.test(output)
    ? 'What to do: wait until no other npm works in this folder (one that was killed may leave processes), then run this again.'
    : 'What to do: check that the registry can be reached, then run "npm ci" by hand.';

/**
 * Runs npm out of the reach of Ctrl-C. It takes seconds to end. A second start would find its folder in use. An interruption is passed
 * on to npm, which then ends; a second one kills it.
 */
function npm(root, args) {
  const isWindows = process.platform === 'win32';
  const own = process.env.npm_execpath;
  // The npm that runs this script, if any: there may be no other.
  const [file, ...rest] = own?.endsWith('.js')
    ? [process.execPath, own, ...args]
    : ['npm', ...args];
  let child = null;
  // Before npm starts, since an interruption may come at once.
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

/** Characters of npm's output that are kept for a failure. */
const OUTPUT_MAX = 1024 * 1024;

/** The npm that runs this script passes on signals of the terminal, too. Two signals within this time are the same one. */
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
      // npm has ended just now.
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

/** npm leaves a lock file of the installed packages; it lacks optional packages for other platforms. */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (present === null) return false;
  return Object.entries(wanted ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return entry.optional === true || entry.link === true;
    // The lock file has the checksums that its author could fetch; packages for other platforms may have none there.
    const isSame = entry.integrity === undefined || found.integrity === entry.integrity;
    return found.version === entry.version && isSame;
  });
}

function readPackages(file) {
  if (!existsSync(file)) return null;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
