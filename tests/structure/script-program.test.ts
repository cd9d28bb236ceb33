/** Loads the script for runs, with the code that V8 made of it before. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeIn, loadScript, runScript, scriptIn } from '../../cli/bin/program.js';

const SCRIPT = `(function (exports, require, module, __filename, __dirname) {
  exports.runProcess = async () => [require('node:path').basename(__filename), __dirname];
})`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-script-'));
  writeFileSync(scriptIn(folder), SCRIPT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

test('where there is no code for this version of Node, it is not loaded', () => {
  expect(loadScript(folder)).toBeNull();
});

test('code that V8 cannot use is left alone', async () => {
  writeFileSync(codeIn(folder), 'of another machine');
  expect(await loadScript(folder)?.runProcess()).toEqual(['run.js', folder]);
});
