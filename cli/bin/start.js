/** Starts the command line on a Node that is new enough, from an installation or from a single executable. */
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hideToken } from './hidden-token.js';
import { endAlone, STARTED_AGAIN } from './launcher-channel.js';

/**
 * Runs the command of this process. `load` resolves with the exports of `cli/src/main.ts`. `leading` is the number of arguments before
 * those of the user. Node needs the path of the script (1), an executable does not (0).
 */
export async function startProgram(load, leading) {
  silenceWarnings();
  hideToken(leading);
  cacheCompiledCode();
  const { runProcess } = await load();
  await runProcess();
}

/** Ends with the process that started this one. False if no command can begin; the error is printed. */
export function prepareProcess() {
  if (process.env[STARTED_AGAIN] !== undefined) endWithLauncher();
  else endWithStarter();
  return hasWorkingDirectory();
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

/**
 * Node calls some parts experimental: SQLite, replacing a process, modules that a script loads on demand. Users can do nothing about them.
 */
function silenceWarnings() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    if (
      !/^(SQLite|process\.execve|vm\.USE_MAIN_CONTEXT_DEFAULT_LOADER) is an experimental feature/.test(
        String(warning),
      )
    ) {
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
