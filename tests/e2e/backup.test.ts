/** A server dies with its disk during work. It goes on from a backup that was made meanwhile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createGate } from '../support/gate.ts';
import { openInbox } from '../support/inbox.ts';
import { type ObservedRun, observeRun } from '../support/observed-run.ts';
import { ended, logOf, oneJob, sh, start, statusOf, workersEnded } from '../support/runs.ts';
import { SAMPLE, SAMPLE_CONTENT } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(() => bench.close());

const tutti = (...args: readonly string[]) => runCli(args, { cwd: bench.folder });

/** Runs that come one after the other until it is told to stop; resolves with their ids. */
function load(server: ServerChild, isOver: () => boolean): Promise<readonly string[]> {
  const submit = async () => {
    const ids: string[] = [];
    while (!isOver()) {
      const id = await start(server, oneJob('load', [sh('echo one'), sh('echo two')]));
      ids.push(id);
      // Half of them go on beside the next one.
      if (ids.length % 2 === 0) await ended(server, id);
    }
    return ids;
  };
  return submit();
}

test.each(['backup', 'backup.tar.gz'])(
  'what was over before a backup is all there after a restore, and what was not goes on (%s)',
  async (name) => {
    const port = await freePort();
    const server = await bench.server({ port });
    for (const agent of ['one', 'two'])
      await bench.agent(server, { tags: ['linux', 'shell'], name: agent });
    const over: string[] = [];
    for (let count = 0; count < 3; count += 1) over.push(await start(server, SAMPLE));
    for (const id of over) {
      expect(await ended(server, id)).toBe('DONE');
      await workersEnded(server, id);
    }
    const before = new Map<string, ObservedRun>();
    for (const id of over) before.set(id, await observeRun(server, id));
    const waiting = await start(server, oneJob('later', [sh('echo late')], { 'runs-on': 'later' }));

    let isMade = false;
    const loading = load(server, () => isMade);
    const backup = join(bench.folder, name);
    const made = await tutti('backup', '--data-dir', server.dataDir, '--output', backup);
    const beside = await tutti('doctor', '--data-dir', server.dataDir);
    isMade = true;
    expect(beside.stdout).toContain('All is well.');
    expect(made.stdout).toMatch(/^Backup made: .*\n\d+ runs \(\d+ not over\), \d+ files of runs, /);
    expect([made.code, made.stderr]).toEqual([0, '']);
    await loading;
    await server.child.kill('SIGKILL');
    rmSync(server.dataDir, { recursive: true });

    const restored = await tutti('restore', backup, '--data-dir', server.dataDir);
    expect(restored.stdout).toMatch(
      /^Restored: .*\n\d+ runs \(\d+ to go on\), as of 20.* UTC\.\nTo start the server: /,
    );
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    const checked = await tutti('doctor', '--data-dir', server.dataDir);
    expect(checked.stdout).toContain('All is well.');
    const again = await bench.server({ port, dataDir: server.dataDir });
    for (const [id, observed] of before) expect(await observeRun(again, id)).toEqual(observed);
    expect(Object.values(before.get(over[0] ?? '')?.files ?? {})).toContain(`${SAMPLE_CONTENT}\n`);

    expect(await statusOf(again, waiting)).toBe('PENDING');
    await bench.agent(again, { tags: ['linux', 'later'], name: 'later' });
    expect(await ended(again, waiting)).toBe('DONE');
    // Runs that went on during the backup end, too. A step on an agent may have got lost with the server.
    for (const id of itemsOf(await again.call('GET', '/workflows'))) await ended(again, String(id));
    const next = await start(again, oneJob('next', [sh('true')]));
    expect(await ended(again, next)).toBe('DONE');
    await again.child.kill('SIGTERM');
    const after = await tutti('doctor', '--data-dir', server.dataDir);
    expect(after.stdout).toContain('All is well.');
    expect(after.code).toBe(0);
  },
);

test('an agent runs nothing twice that it ran since the backup, and the log says what became of it', async () => {
  const port = await freePort();
  const server = await bench.server({ port });
  await bench.agent(server, { tags: ['linux'], name: 'busy' });
  const gate = createGate(bench);
  const [held, ran] = [bench.path('held'), bench.path('ran')];
  const first = await start(server, oneJob('first', [sh(`echo ran > ${held}`), gate.step]));
  await eventually('the first run', () => existsSync(held));
  const second = await start(server, oneJob('second', [sh(`echo ran >> ${ran}`)]));
  const backup = bench.path('backup');
  expect((await tutti('backup', '--data-dir', server.dataDir, '--output', backup)).code).toBe(0);
  await gate.open();
  for (const id of [first, second]) expect(await ended(server, id)).toBe('DONE');
  await server.child.kill('SIGKILL');
  expect((await tutti('restore', backup, '--data-dir', server.dataDir, '--force')).code).toBe(0);
  const again = await bench.server({ port, dataDir: server.dataDir });
  for (const id of [first, second]) {
    expect(await ended(again, id)).toBe('FAILED');
    expect(await logOf(again, id)).toContain('was lost: it asks for work but sent no result.');
  }
  expect(readFileSync(ran, 'utf8')).toBe('ran\n');
  const next = await start(again, oneJob('next', [sh('true')]));
  expect(await ended(again, next)).toBe('DONE');
});

test('tokens and subscriptions of before a restore hold after it', async () => {
  const server = await bench.server();
  const inbox = await openInbox();
  onTestFinished(() => inbox.close());
  const spec = { selector: { matchKind: 'Workflow' }, subscriber: { endpoint: inbox.endpoint } };
  const manifest = {
    apiVersion: 'opentestfactory.org/v1',
    kind: 'Subscription',
    metadata: { name: 'watcher' },
    spec,
  };
  expect((await server.call('POST', '/subscriptions', { body: manifest })).code).toBe(201);
  const backup = bench.path('backup');
  expect((await tutti('backup', '--data-dir', server.dataDir, '--output', backup)).code).toBe(0);
  await server.child.kill('SIGKILL');
  const dataDir = bench.path('restored');
  expect((await tutti('restore', backup, '--data-dir', dataDir)).code).toBe(0);
  const again = await bench.server({ dataDir });
  expect(again.token).toBe(server.token);
  const id = await start(again, oneJob('seen', [sh('true')], { 'runs-on': 'nowhere' }));
  await eventually('the delivery', () =>
    inbox.deliveries.some(({ event }) => JSON.stringify(event).includes(id)),
  );
});

/** Enough for a copy to take a while. */
async function fill(server: ServerChild): Promise<void> {
  const variables = { TEXT: 'x'.repeat(1_000_000) };
  for (let count = 0; count < 32; count += 1)
    await start(server, { ...oneJob('large', [sh('true')]), variables });
}

test('a backup that is killed leaves nothing that looks like one', async () => {
  const server = await bench.server();
  await fill(server);
  const output = bench.path('backup');
  const unfinished = () => readdirSync(bench.folder).filter((each) => each.includes('unfinished'));
  const cli = startCli(['backup', '--data-dir', server.dataDir, '--output', output], {
    cwd: bench.folder,
  });
  await eventually('the beginning of a backup', () => unfinished().length > 0);
  cli.kill('SIGKILL');
  expect(await cli.ended).toBe('SIGKILL');
  const [left = ''] = unfinished().filter((each) => !each.endsWith('.db'));
  expect(existsSync(output)).toBe(false);
  const restored = await tutti('restore', left, '--data-dir', bench.path('restored'));
  expect(restored.stderr).toBe(
    `tutti: ${left} is damaged: it has no manifest.json.\n` +
      'What to do: restore another backup; nothing was changed.\n',
  );
  // Nobody waits for the one that is gone.
  expect((await tutti('backup', '--data-dir', server.dataDir, '--output', output)).code).toBe(0);
});

test.each(['backup', 'backup.tar'])(
  'of two backups of one name at the same time one is made, and the other leaves it alone (%s)',
  async (name) => {
    const server = await bench.server();
    await fill(server);
    const output = bench.path('two') + name;
    const words = ['backup', '--data-dir', server.dataDir, '--output', output];
    const both = await Promise.all([tutti(...words), tutti(...words)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2]);
    expect(both.map(({ stderr }) => stderr).sort()).toEqual([
      '',
      `tutti: ${output} exists already.\n` +
        'What to do: name another output, or remove it if it is not needed any more.\n',
    ]);
    expect((await tutti('restore', output, '--data-dir', bench.path('restored'))).code).toBe(0);
  },
);

test('Ctrl-C ends a backup, and leaves nothing of it', async () => {
  const server = await bench.server();
  await fill(server);
  const folder = bench.path('backups');
  mkdirSync(folder);
  const output = join(folder, 'backup.tar.gz');
  const cli = startCli(['backup', '--data-dir', server.dataDir, '--output', output], {
    cwd: bench.folder,
  });
  await eventually('the beginning of a backup', () => readdirSync(folder).length > 0);
  cli.kill('SIGINT');
  expect([await cli.ended, cli.stdout(), cli.stderr()]).toEqual([130, '', '']);
  expect(readdirSync(folder)).toEqual([]);
});

test('refusals say what to do', async () => {
  const server = await bench.server();
  const backup = bench.path('backup');
  await tutti('backup', '--data-dir', server.dataDir, '--output', backup);
  const restore = (...args: readonly string[]) =>
    tutti('restore', backup, '--data-dir', server.dataDir, ...args);
  expect((await restore()).stderr).toBe(
    `tutti: ${server.dataDir} is not empty: it has admin.token.\n` +
      'What to do: name another directory, or add --force, which keeps what is there beside the restored data.\n',
  );
  const inUse = await restore('--force');
  expect(inUse.stderr).toBe(
    `tutti: A server uses ${server.dataDir}.\nWhat to do: stop that server first.\n`,
  );
  expect(inUse.code).toBe(2);
  await server.child.kill('SIGTERM');
  writeFileSync(join(backup, 'admin.token'), 'other');
  const damaged = await restore('--force');
  expect(damaged.stderr).toBe(
    `tutti: ${backup} is damaged: admin.token is not as it was written.\n` +
      'What to do: restore another backup; nothing was changed.\n',
  );
  expect(readFileSync(join(server.dataDir, 'admin.token'), 'utf8').trim()).toBe(server.token);
});
