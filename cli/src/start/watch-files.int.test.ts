import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
