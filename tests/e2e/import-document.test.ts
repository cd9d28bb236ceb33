/** The commands of docs/guides/migration.md, pasted into a shell one after the other, in the folder of an existing installation. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../structure/document-blocks.ts';
import { readRepositoryFile } from '../structure/source-files.ts';
import { eventually } from '../support/eventually.ts';
import { writeExistingConfiguration } from '../support/existing-configuration.ts';
import { freePort } from '../support/free-port.ts';
import { Workbench } from '../support/workbench.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const WORKFLOW = `metadata: {name: moved}
jobs: {main: {runs-on: linux, steps: [{run: echo moved}]}}
`;

let bench: Workbench;
let folder: string;
let port: number;
const started: ChildProcess[] = [];

beforeAll(async () => {
  bench = await Workbench.open();
  ({ folder } = await writeExistingConfiguration(bench.path('existing')));
  port = await freePort();
  await mkdir(join(folder, 'bin'));
  const tutti = join(folder, 'bin/tutti');
  await writeFile(tutti, `#!/bin/sh\nexec "${process.execPath}" "${TUTTI}" "$@"\n`);
  await chmod(tutti, 0o755);
  await writeFile(join(folder, 'workflow.yaml'), WORKFLOW);
});

afterAll(async () => {
  await Promise.all(started.map(stop));
  await bench.close();
});

/** A shell with a block of the document, in a group of its own. The port that it shows may be taken here. */
function paste(block: string) {
  const { PATH = '' } = process.env;
  const path = `${join(folder, 'bin')}:${dirname(process.execPath)}:${PATH}`;
  const child = spawn('sh', ['-c', block.replaceAll('17774', String(port))], {
    cwd: folder,
    env: { PATH: path, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const said = (words: string) =>
    eventually(`"${words}"`, () => (output.stdout + output.stderr).includes(words));
  return { child, output, said };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-(child.pid ?? Number.NaN), 'SIGTERM');
  await closed;
}

async function run(block: string) {
  const { child, output } = paste(block);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

test('the commands of docs/guides/migration.md move an installation', async () => {
  const blocks = blocksOf(readRepositoryFile('docs/guides/migration.md'), 'sh');
  const [look = '', write = '', beside = '', try_ = '', move = '', use = '', ...more] = blocks;
  expect(more).toEqual([]);
  expect(await run(look)).toMatchObject({ code: 1, stderr: '' });
  await expect(readFile(join(folder, 'tutti-config/server.yaml'))).rejects.toThrow();
  expect(await run(write)).toMatchObject({ code: 1, stderr: '' });
  const [serve = '', offer = ''] = beside.split('\n');
  const old = paste(serve);
  await old.said('Tutti is ready on');
  const agent = paste(offer);
  await agent.said('The agent is registered');
  const tried = await run(try_);
  expect(tried.code, tried.stderr).toBe(0);
  expect(tried.stdout).toContain('│ moved');
  await stop(agent.child);
  await stop(old.child);
  await paste(move).said('Tutti is ready on');
  expect(await run(use)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^There are no workflows\. /),
  });
});
