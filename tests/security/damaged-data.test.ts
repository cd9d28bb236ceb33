/** Data that a disk, a crash or somebody with a shell has damaged. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { runCli } from '../e2e/cli-process.ts';
import { ended, oneJob, sh, start, startedId, workersEnded } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

// One of them starts twenty servers, on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 180_000 });

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(() => bench.close());

const RUN = oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' });
const CONFIRMED = 200;
const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

async function doctor(dataDir: string, ...args: readonly string[]) {
  const actual = await runCli(['doctor', '--data-dir', dataDir, ...args], { cwd: bench.folder });
  return { code: actual.code, text: actual.stdout };
}

const storeOf = (dataDir: string) => join(dataDir, 'store');
const keptIn = (dataDir: string) =>
  readdirSync(storeOf(dataDir)).filter((name) => name.includes('damaged'));

async function runsOf(server: ServerChild): Promise<ReadonlySet<string>> {
  return new Set(JSON.parse((await server.call('GET', '/workflows')).text).details.items);
}

/** A server that confirmed runs one after the other, and was killed. In the middle of its log there is garbage. */
async function withGarbage(): Promise<string> {
  const server = await bench.server();
  for (let count = 0; count < CONFIRMED; count += 1) await start(server, RUN);
  await server.child.kill('SIGKILL');
  const log = join(storeOf(server.dataDir), 'tutti.db-wal');
  const bytes = readFileSync(log);
  const frames = Math.floor((bytes.length - HEADER_BYTES) / FRAME_BYTES);
  const middle = HEADER_BYTES + Math.floor(frames / 2) * FRAME_BYTES;
  writeFileSync(log, bytes.fill(0xa5, middle + 500, middle + 3_000));
  return server.dataDir;
}

attack('garbage-in-the-log', async () => {
  const dataDir = await withGarbage();
  const before = readFileSync(join(storeOf(dataDir), 'tutti.db-wal'));
  const found = await doctor(dataDir);
  expect(found.text).toMatch(/WRONG {3}database\n.*The write-ahead log of the store is damaged/);
  expect(found.code).toBe(1);
  const backup = await runCli(['backup', '--data-dir', dataDir], { cwd: bench.folder });
  expect([backup.code, backup.stdout]).toEqual([2, '']);
  expect(backup.stderr).toContain('is damaged');

  const server = await bench.server({ dataDir });
  expect((await runsOf(server)).size).toBeLessThan(CONFIRMED);
  expect(server.child.stderr).toContain('The write-ahead log of the store is damaged');
  const kept = keptIn(dataDir).find((name) => name.endsWith('-wal')) ?? '';
  expect(readFileSync(join(storeOf(dataDir), kept)).equals(before)).toBe(true);
  expect((await server.call('GET', '/metrics')).text).toContain('\ntutti_kept_logs 1\n');
  await server.child.kill('SIGKILL');

  const again = await bench.server({ dataDir });
  expect(again.child.stderr).not.toContain('damaged');
  await again.child.kill('SIGTERM');
  const after = await doctor(dataDir);
  expect(after.text).toContain('WRONG   log       kept 1');
  expect(after.text).toContain(
    `A damaged write-ahead log is kept as store/${kept.replace('-wal', '')}:`,
  );
});

const KILLS = 20;

attack('killed-while-writing', async () => {
  const dataDir = bench.path('killed');
  const confirmed: string[] = [];
  for (let kills = 0; kills < KILLS; kills += 1) {
    const server = await bench.server({ dataDir });
    const runs = await runsOf(server);
    expect(confirmed.filter((id) => !runs.has(id))).toEqual([]);
    // Different moments: behind the first confirmation, the second, and so on.
    const starts = Array.from({ length: 40 }, () =>
      server.call('POST', '/workflows', { body: RUN }).then(
        (answer) => confirmed.push(startedId(answer)),
        () => undefined,
      ),
    );
    await Promise.race(starts.slice(kills, kills + 1));
    await server.child.kill('SIGKILL');
    await Promise.all(starts);
    expect(server.child.stderr).not.toContain('damaged');
  }
  expect(confirmed.length).toBeGreaterThan(KILLS);
  expect(keptIn(dataDir)).toEqual([]);
});

const MAKES_FILES = [
  'echo attached > a.txt; echo "::attach::$PWD/a.txt"',
  'echo uploaded > b.txt; echo "::upload::$PWD/b.txt"',
].map((script) => sh(script));

attack('deleted-files', async () => {
  const server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'shell'] });
  const form = new FormData();
  const manifest = { ...oneJob('files', MAKES_FILES), resources: { files: ['data'] } };
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('data', new Blob(['some bytes']), 'data');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  await ended(server, id);
  await workersEnded(server, id);
  await server.child.kill('SIGTERM');
  const folder = join(server.dataDir, 'blobs', id);
  const names = readdirSync(folder);
  expect(names).toHaveLength(3);
  expect((await doctor(server.dataDir)).text).toContain('All is well.');
  for (const name of names) rmSync(join(folder, name));
  // Something that has the name of a file.
  mkdirSync(join(folder, String(names[0])));
  const { code, text } = await doctor(server.dataDir);
  for (const name of names) expect(text).toContain(`The file ${name} of run ${id} is missing.`);
  expect(text).toContain('3 findings to see to.');
  expect(text).toMatch(/ {2}Not checked:\n {9}- the content of attachments/);
  expect(code).toBe(1);
});

attack('unsafe-modes', async () => {
  const server = await bench.server();
  await start(server, RUN);
  await server.child.kill('SIGKILL');
  const { dataDir } = server;
  writeFileSync(join(dataDir, 'keys', 'earlier.pem'), 'an earlier key');
  writeFileSync(join(dataDir, 'revoked-tokens.json'), '[]');
  const paths = ['store', 'blobs', 'keys', 'admin.token', 'server.json', 'revoked-tokens.json'];
  for (const folder of ['store', 'keys']) {
    paths.push(...readdirSync(join(dataDir, folder)).map((name) => `${folder}/${name}`));
  }
  expect(paths).toEqual(expect.arrayContaining(['store/tutti.db-wal', 'keys/signing.pem']));
  for (const path of paths) {
    const file = join(dataDir, path);
    chmodSync(file, statSync(file).isDirectory() ? 0o755 : 0o644);
  }
  const { code, text } = await doctor(dataDir);
  for (const path of paths) expect(text).toContain(`${path} has the mode 0`);
  expect(code).toBe(1);
});

/** As Linux has it; no account of the machine needs to have it. */
const ANOTHER_USER = 65_534;

attack('foreign-owners', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'Only root gives files away.');
  const server = await bench.server();
  await server.child.kill('SIGTERM');
  const { dataDir } = server;
  const paths = ['keys/signing.pem', 'admin.token', 'store/tutti.db', 'blobs'];
  for (const path of paths) chownSync(join(dataDir, path), ANOTHER_USER, ANOTHER_USER);
  const { code, text } = await doctor(dataDir);
  for (const path of paths) {
    expect(text).toContain(`${path} belongs to the user 65534, the data directory to the user 0.`);
  }
  expect(code).toBe(1);
});

attack('broken-revocations', async () => {
  const server = await bench.server();
  await server.child.kill('SIGTERM');
  writeFileSync(join(server.dataDir, 'revoked-tokens.json'), 'x');
  const { code, text } = await doctor(server.dataDir);
  expect(text).toMatch(/WRONG {3}keys[\s\S]*revoked-tokens\.json is not usable: it is no JSON/);
  expect(code).toBe(1);
});
