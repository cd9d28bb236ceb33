/** Files that steps name in what they print. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { observeRun } from '../support/observed-run.ts';
import { ended, logOf, oneJob, sh, start, startedId } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const SECRET = 'the-key-that-signs';

/** A server, an agent, and a folder beside its workspaces that belongs to somebody else. */
async function openWorld(allows = false) {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  const foreign = bench.path('foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'key.pem'), SECRET);
  const server = await bench.server();
  const allowPaths = allows ? [foreign] : [];
  await bench.agent(server, { tags: ['linux'], allowPaths });
  return { server, foreign, key: join(foreign, 'key.pem') };
}

const GOES_ON = { 'continue-on-error': true };

type World = Awaited<ReturnType<typeof openWorld>>;

/** The texts of all files that the server got of a run. */
const filesOf = async ({ server }: World, id: string): Promise<readonly string[]> =>
  Object.values((await observeRun(server, id)).files);

/** A run with the resource file `data`. */
async function startWithFile({ server }: World, steps: readonly string[]): Promise<string> {
  const manifest = oneJob(
    'puts',
    steps.map((step) => sh(step)),
  );
  const form = new FormData();
  const workflow = JSON.stringify({ ...manifest, resources: { files: ['data'] } });
  form.set('workflow', new Blob([workflow], { type: 'application/json' }), 'workflow.json');
  form.set('data', new Blob(['changed']), 'data');
  return startedId(await server.call('POST', '/workflows', { body: form }));
}

attack('attach-outside', async () => {
  const world = await openWorld();
  const { server, key, foreign } = world;
  for (const command of ['attach', 'upload']) {
    for (const path of [key, '../../foreign-1/key.pem', `$PWD/../../foreign-1/key.pem`]) {
      const id = await start(server, oneJob('reads', [sh(`echo "::${command}::${path}"`)]));
      expect(await ended(server, id)).toBe('FAILED');
      expect(await filesOf(world, id)).toEqual([]);
      expect(await logOf(server, id)).toContain(
        `is outside of the workspace of its job. To allow it, start the agent with --allow-path ${foreign}`,
      );
    }
  }
});

attack('attach-link', async () => {
  const world = await openWorld();
  const { server, key, foreign } = world;
  const links = `ln -s ${key} link; ln -s ${foreign} dir; ln -s link again`;
  for (const path of ['link', 'dir/key.pem', 'again']) {
    for (const command of ['attach', 'upload']) {
      const step = sh(`${links}; echo "::${command}::${path}"`);
      const id = await start(server, oneJob('reads', [step]));
      expect(await ended(server, id)).toBe('FAILED');
      expect(await filesOf(world, id)).toEqual([]);
      expect(await logOf(server, id)).toContain(`--allow-path ${foreign}`);
    }
  }
});

attack('attach-pipe', async () => {
  const world = await openWorld();
  const { server, foreign } = world;
  const pipe = join(foreign, 'pipe');
  spawnSync('mkfifo', [pipe]);
  // It waits until somebody opens the pipe to read.
  const writer = spawn('/bin/sh', ['-c', 'echo secret > "$0"', pipe]);
  onTestFinished(() => void writer.kill('SIGKILL'));
  for (const prepare of [`file=${pipe}`, `ln -s ${pipe} link; file=link`]) {
    const id = await start(server, oneJob('reads', [sh(`${prepare}; echo "::attach::$file"`)]));
    expect(await ended(server, id)).toBe('FAILED');
    expect(await logOf(server, id)).toContain('is not a regular file');
  }
  expect([writer.exitCode, writer.signalCode]).toEqual([null, null]);
});

attack('attach-leased', async () => {
  const { server } = await openWorld();
  const lease = `use Fcntl; open(my $file, "+>", "file"); fcntl($file, 1024, F_WRLCK) or die; open(my $there, ">", "leased"); $SIG{IO} = "IGNORE"; sleep 600`;
  const step = `perl -e '${lease}' < /dev/null > /dev/null 2>&1 &
until [ -e leased ]; do sleep 0.01; done; echo "::attach::file"`;
  const id = await start(server, oneJob('reads', [sh(step)]));
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logOf(server, id)).toContain('Could not read file: ');
});

attack('attach-swapped', async () => {
  const world = await openWorld();
  const { server, foreign, key } = world;
  const swap = `mkdir own; echo own > own/key.pem
(while :; do ln -sfn ${foreign} dir; ln -sfn own dir; done) > /dev/null 2>&1 &
(while :; do ln -sf ${key} next; mv -f next file; echo own > next; mv -f next file; done) > /dev/null 2>&1 &
until [ -e dir ] && [ -e file ]; do sleep 0.01; done; echo made > made; echo "::upload::made"`;
  const attaches =
    'for i in $(seq 40); do echo "::attach::dir/key.pem"; echo "::attach::file"; done';
  const downloads = 'for i in $(seq 40); do echo "::download file=made::dir/new/"; done';
  const steps = [sh(swap), ...[attaches, downloads].map((run) => sh(run, GOES_ON))];
  const id = await start(server, oneJob('swaps', steps));
  expect(await ended(server, id)).toBe('DONE');
  expect(new Set(await filesOf(world, id))).toEqual(new Set(['made\n', 'own\n']));
  expect(readdirSync(foreign)).toEqual(['key.pem']);
});

attack('put-outside', async () => {
  const world = await openWorld();
  const { server, key, foreign } = world;
  const targets = [
    key,
    `${foreign}/new/file`,
    '../../foreign-1/key.pem',
    'dir/key.pem',
    'dir/new/',
  ];
  const steps = targets.flatMap((target) => [
    `ln -sfn ${foreign} dir; echo "::put file=data::${target}" || true`,
  ]);
  for (const step of steps) {
    const id = await startWithFile(world, [step]);
    expect(await ended(server, id)).toBe('FAILED');
    expect(await logOf(server, id)).toContain('--allow-path');
  }
  const artifact = 'echo x > key.pem; echo "::upload::key.pem"';
  for (const target of [foreign, 'dir']) {
    const steps = [
      sh(artifact),
      sh(`ln -s ${foreign} dir; echo "::download file=key.pem::${target}/"`),
    ];
    expect(await ended(server, await start(server, oneJob('downloads', steps)))).toBe('FAILED');
  }
  expect(readdirSync(foreign)).toEqual(['key.pem']);
  expect(readFileSync(key, 'utf8')).toBe(SECRET);
});

attack('paths-allowed', async () => {
  const world = await openWorld(true);
  const { server, key, foreign } = world;
  const id = await startWithFile(world, [
    `echo made > made.txt; ln -s made.txt link; echo "::attach::$PWD/made.txt"; echo "::attach::link"; echo "::attach::${key}"`,
    `echo "::put file=data::${foreign}/new/data"; echo "::put file=data::$PWD/deep/er/data"`,
    'cat deep/er/data',
  ]);
  expect(await ended(server, id)).toBe('DONE');
  expect((await filesOf(world, id)).toSorted()).toEqual(['made\n', 'made\n', SECRET]);
  expect(existsSync(join(foreign, 'new/data'))).toBe(true);
});
