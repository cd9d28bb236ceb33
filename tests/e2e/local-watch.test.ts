/** `tutti run --watch`: runs on this machine that begin again when files change. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesWith } from '../support/process-facts.ts';
import type { CliProcess } from './cli-process.ts';
import { job, type LocalDirectory, openLocalDirectory } from './local-directory.ts';

const WAITING = 'Waiting for changes; Ctrl-C ends this\\.';

/** Resolves when the command waits for the time of that number. */
const waitsAgain = (child: CliProcess, times: number) =>
  child.said(new RegExp(`(?:${WAITING}[^]*){${times}}`));

const edit = (directory: LocalDirectory, name: string, text: string) =>
  writeFile(join(directory.cwd, name), text);

test('a workflow runs again when a file changes, and Ctrl-C ends it with the code of the last run', async () => {
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  await edit(directory, 'number', '1');
  const file = await directory.workflow('reads', {
    main: job(`echo "it is $(cat ${cwd}/number)"; exit $(cat ${cwd}/number)`),
  });
  const child = directory.start('run', '--watch', '--local', file);
  await waitsAgain(child, 1);
  await edit(directory, 'number', '0');
  await child.said(/^Changed: number\. Running again\.$/m);
  await child.said(/│ it is 0/);
  await waitsAgain(child, 2);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
  expect(child.stdout().match(/^Workflow \S+ started\.$/gm)).toHaveLength(2);
});

test('a run that goes on is canceled when a file changes, and nothing of it stays', async () => {
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  await edit(directory, 'seconds', '600');
  const file = await directory.workflow('waits', {
    main: job(`echo begun; sleep $(cat ${cwd}/seconds); echo over`),
  });
  const child = directory.start('run', '--watch', '--local', file);
  await child.said(/│ begun/);
  await edit(directory, 'seconds', '0');
  await child.said(/^Files changed: the workflow is canceled, to run again\.$/m);
  await child.said(/Workflow canceled after .*: Files changed\.$/m);
  await child.said(/^Result: canceled as files changed\b/m);
  await child.said(/^Changed: seconds\. Running again\.$/m);
  await child.said(/│ over/);
  await waitsAgain(child, 2);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
  expect(child.stdout()).not.toMatch(/Interrupted|once more/);
  expect(processesWith(cwd)).toEqual([]);
});

test('files that the steps write do not start another run, and a change by a person does', async () => {
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  await edit(directory, 'source', '1');
  const file = await directory.workflow('writes', {
    main: job(
      `cd ${cwd}; cat source >> report; mkdir -p out/a; date >> out/a/log; echo "it is $(cat source)"`,
    ),
  });
  const child = directory.start('run', '--watch', '--local', file);
  await child.said(/^Written by the run, so no changes: out, report\.$/m);
  await waitsAgain(child, 1);
  await edit(directory, 'source', '2');
  await child.said(/^Changed: source\. Running again\.$/m);
  await child.said(/│ it is 2/);
  await waitsAgain(child, 2);
  // Somebody edits a file that the steps write.
  await edit(directory, 'report', 'x');
  await child.said(/^Changed: report\. Running again\.$/m);
  await waitsAgain(child, 3);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
  expect(child.stdout().match(/^Workflow \S+ started\.$/gm)?.length).toBeLessThan(8);
});

test('folders of tools that exist before the first run start no other, and changes of people there do', async () => {
  const directory = await openLocalDirectory();
  await mkdir(join(directory.cwd, 'test-results'));
  await mkdir(join(directory.cwd, 'target/surefire-reports'), { recursive: true });
  await edit(directory, 'test-results/last.json', '1');
  await edit(directory, 'target/surefire-reports/a.xml', '1');
  const file = await directory.workflow('builds', {
    main: job(
      `cd ${directory.cwd}; rm -r test-results; mkdir test-results; echo 2 > test-results/last.json; echo 2 > target/surefire-reports/a.xml`,
    ),
  });
  const child = directory.start('run', '--watch', '--local', file);
  await child.said(/^Written by the run, so no changes: target, test-results\.$/m);
  await waitsAgain(child, 1);
  await edit(directory, 'target/surefire-reports/a.xml', '3');
  await child.said(/^Changed: target\/surefire-reports\/a\.xml\. Running again\.$/m);
  await waitsAgain(child, 2);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
  expect(child.stdout().match(/^Workflow \S+ started\.$/gm)).toHaveLength(2);
});

test('an existing file that every run writes does not start runs for ever', async () => {
  const directory = await openLocalDirectory();
  await edit(directory, 'total', '0\n');
  const file = await directory.workflow('appends', {
    main: job(`cd ${directory.cwd}; echo 1 >> total`),
  });
  const child = directory.start('run', '--watch', '--local', file);
  await child.said(/^Written by the run, so no changes: total\.$/m);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
});

test('a workflow that becomes wrong is told, and runs again when it is right', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('right', { main: job('echo first') });
  const child = directory.start('run', '--watch', '--local', file);
  await waitsAgain(child, 1);
  await edit(directory, file, '{"metadata": {"name": "wrong"}, "jobs": {}}');
  await child.said(/Not a valid Workflow manifest: jobs: must not be empty/);
  await waitsAgain(child, 2);
  await directory.workflow('right', { main: job('echo second') });
  await child.said(/│ second/);
  await waitsAgain(child, 3);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
});

test('what git ignores is no change unless it is named, and new directories are seen', async () => {
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  execFileSync('git', ['init', '-q', cwd]);
  await edit(directory, '.gitignore', 'build/\n*.log\n');
  await mkdir(join(cwd, 'build'));
  await edit(directory, 'build/it.env', 'WHAT=it\n');
  const file = await directory.workflow('any', { main: job('echo $WHAT runs') });
  const child = directory.start('run', '--watch', '--local', file, '-e', 'build/it.env');
  await waitsAgain(child, 1);
  await edit(directory, 'build/out', 'x');
  await edit(directory, 'a.log', 'x');
  await mkdir(join(cwd, 'node_modules/a'), { recursive: true });
  await edit(directory, 'node_modules/a/b', 'x');
  await mkdir(join(cwd, 'src'));
  await child.said(/^Changed: src\. Running again\.$/m);
  await waitsAgain(child, 2);
  await edit(directory, 'src/new', 'x');
  await child.said(/^Changed: src\/new\. Running again\.$/m);
  await waitsAgain(child, 3);
  await edit(directory, 'build/it.env', 'WHAT=more\n');
  await child.said(/│ more runs/);
  await waitsAgain(child, 4);
  child.kill('SIGINT');
  expect(await child.ended).toBe(0);
  expect(child.stdout().match(/│ it runs/g)).toHaveLength(3);
});

test('a workflow of standard input cannot be watched', async () => {
  const directory = await openLocalDirectory();
  expect(await directory.run('run', '--watch', '-')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: Standard input can be read once, and --watch reads the workflow for each run.\nWhat to do: name the file of the workflow.\n',
  });
});
