import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from './watch-files.ts';

test('a file that the command itself writes is no change, or each run would lead to the next', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tutti-watch-'));
  const output = await open(join(root, 'run.log'), 'w');
  const options = { root, files: [], except: join(root, '.tutti'), outputs: [output.fd] };
  const watch = await watchFiles(options);
  onTestFinished(async () => {
    watch.close();
    await output.close();
    await rm(root, { recursive: true });
  });
  await output.write('Workflow id started.\n');
  await writeFile(join(root, 'source'), 'new');
  expect(await watch.changes(new AbortController().signal)).toEqual(['source']);
});

test('a named file elsewhere counts during a run, and files that the run makes do not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tutti-watch-'));
  const elsewhere = await mkdtemp(join(tmpdir(), 'tutti-watch-'));
  const named = join(elsewhere, 'it.env');
  await writeFile(named, 'A=1');
  const options = { root, files: [named], except: join(root, '.tutti'), outputs: [] };
  const watch = await watchFiles(options);
  onTestFinished(async () => {
    watch.close();
    await Promise.all([root, elsewhere].map((folder) => rm(folder, { recursive: true })));
  });
  watch.beginRun();
  await writeFile(join(root, 'report.xml'), 'new');
  await writeFile(named, 'A=2');
  await watch.untilChange(new AbortController().signal);
  expect(await watch.endRun()).toEqual(['report.xml']);
  expect(await watch.changes(new AbortController().signal)).toEqual([relative(root, named)]);
});
