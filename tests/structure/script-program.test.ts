/** Loads the script for runs, with the code that V8 made of it before. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeIn, loadScript, readScript, runModule, scriptIn } from '../../cli/bin/program.js';

const SCRIPT = `(function (exports, require, module, __filename, __dirname) {
  exports.runProcess = async () => [require('node:path').basename(__filename), __dirname];
})`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-script-'));
  writeFileSync(scriptIn(folder), SCRIPT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const runScript = (place: string, code?: Buffer) => runModule(readScript(place), code);
/** Loads the script in a process of its own, with an empty cache or that of another process. */
function load(status: number, cache?: string): string {
  const program = new URL('../../cli/bin/program.js', import.meta.url).href;
  const code = `const { loadScript } = await import(${JSON.stringify(program)});
    console.log(JSON.stringify(loadScript(${JSON.stringify(folder)}) === null));
    process.exit(${status});`;
  const env =
    cache === undefined ? { NODE_DISABLE_COMPILE_CACHE: '1' } : { NODE_COMPILE_CACHE: cache };
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env,
    encoding: 'utf8',
  });
  return stdout.trim();
}
const codesIn = (cache: string) =>
  readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.code'),
  );

test('it has what a module has', async () => {
  expect(await runScript(folder).exported.runProcess()).toEqual(['run.js', folder]);
});

test('it may import modules of Node', async () => {
  const imports = "async () => [(await import('node:path')).basename('/a/b')]";
  writeFileSync(scriptIn(folder), `(function (exports) { exports.runProcess = ${imports}; })`);
  expect(await runScript(folder).exported.runProcess()).toEqual(['b']);
});

test('code that was made of it is used', async () => {
  writeFileSync(codeIn(folder), runScript(folder).script.createCachedData());
  expect(runScript(folder, readFileSync(codeIn(folder))).script.cachedDataRejected).toBe(false);
  expect(await loadScript(folder)?.runProcess()).toEqual(['run.js', folder]);
});

test('where there is no code for this version of Node, a run that succeeds keeps it for the next', () => {
  const cache = join(folder, 'cache');
  expect([load(1, cache), codesIn(cache)]).toEqual(['false', []]);
  expect([load(0, cache), codesIn(cache)]).toEqual(['false', [expect.any(String)]]);
  expect(load(0, cache)).toBe('false');
});

test('where no code can be kept, it is not loaded', () => {
  expect(load(0)).toBe('true');
});

test('code that V8 cannot use is left alone', async () => {
  writeFileSync(codeIn(folder), 'of another machine');
  expect(await loadScript(folder)?.runProcess()).toEqual(['run.js', folder]);
});
