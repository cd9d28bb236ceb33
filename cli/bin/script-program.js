/** The program as `scripts/build` writes it for runs and servers: one script, and the code that V8 made of what a run needs of it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';

const SCRIPT = 'run.js';

export const scriptIn = (folder) => join(folder, SCRIPT);

/** V8 takes no code of another version; where there is none of this one, files that Node has in its cache are loaded faster. */
export const codeIn = (folder) => join(folder, `run-${process.version}-${process.arch}.code`);

/** What the script of the folder exports; null where there is no code of it for this version of Node. */
export function loadScript(folder) {
  const code = codeIn(folder);
  if (!existsSync(code)) return null;
  return runScript(folder, readFileSync(code)).exported;
}

/** `code` may be absent, and is not used where V8 was started with other settings. */
export function runScript(folder, code) {
  const file = scriptIn(folder);
  // All of its characters have one byte, so that nothing is to be decoded.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: code,
    // Libraries import modules of Node when they need them.
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const run = script.runInThisContext();
  run(module.exports, createRequire(file), module, file, dirname(file));
  return { exported: module.exports, script };
}
