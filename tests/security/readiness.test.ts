/** A server's reports on itself when its disk or its data fail. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect } from 'vitest';
import { openDisk } from '../chaos/program/disk.ts';
import { runCli } from '../e2e/cli-process.ts';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
});
afterEach(() => bench.close());

async function readinessOf(server: ServerChild) {
  const { code, text } = await server.call('GET', '/health', { query: 'ready' });
  const { status, message, details } = JSON.parse(text);
  return { code, status, message, ...details };
}

const databaseOf = ({ dataDir }: ServerChild) => join(dataDir, 'store', 'tutti.db');

const tutti = (...args: readonly string[]) => runCli(args, { cwd: bench.folder });

async function commitsOf(server: ServerChild): Promise<number> {
  const { text } = await server.call('GET', '/metrics');
  return Number(/^tutti_commit_seconds_count (\d+)$/m.exec(text)?.[1]);
}

attack('often-asked-readiness', async () => {
  const server = await bench.server();
  expect(await readinessOf(server)).toMatchObject({ code: 200, message: 'The server is ready.' });
  const before = await commitsOf(server);
  const beganMs = performance.now();
  for (let round = 0; round < 10; round += 1) {
    const asked = await Promise.all(Array.from({ length: 200 }, () => readinessOf(server)));
    expect(new Set(asked.map(({ code }) => code))).toEqual(new Set([200]));
  }
  const seconds = (performance.now() - beganMs) / 1000;
  const commits = (await commitsOf(server)) - before;
  expect(commits).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  for (let count = 0; count < 100; count += 1) {
    expect((await server.call('GET', '/health')).text).toBe('OK');
  }
  expect(await commitsOf(server)).toBe(before + commits);
});

const NOT_WRITTEN = /(?:The store does not take writes|No result after 5 s).*Look at the disk/s;

attack('failing-writes', async () => {
  const server = await bench.server();
  expect((await readinessOf(server)).code).toBe(200);
  const other = new DatabaseSync(databaseOf(server));
  other.exec('BEGIN IMMEDIATE');
  const failing = await eventually('writes fail', async () => {
    const found = await readinessOf(server);
    return found.code === 503 ? found : null;
  });
  expect(failing).toMatchObject({
    status: 'Failure',
    message: 'The server is not ready: writes.',
    failing: [{ check: 'writes', advice: expect.stringContaining('Look at the disk') }],
  });
  expect((await server.call('GET', '/health')).text).toBe('OK');
  const waiting = await tutti('ready', '--timeout', '10s', '--data-dir', server.dataDir);
  expect([waiting.code, waiting.stderr]).toEqual([1, expect.stringMatching(NOT_WRITTEN)]);
  const doctor = await tutti('doctor', '--data-dir', server.dataDir);
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(NOT_WRITTEN)]);
  other.exec('ROLLBACK');
  other.close();
  await eventually('writes are back', async () => (await readinessOf(server)).code === 200);
});

attack('full-disk-readiness', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-disk-'));
  const disk = await openDisk(folder);
  try {
    skip(disk.fill === null, disk.missing.join(' '));
    const server = await bench.server({ dataDir: join(disk.folder, 'data') });
    expect((await readinessOf(server)).code).toBe(200);
    await disk.fill?.(0);
    const full = await eventually('the disk is full', async () => {
      const found = await readinessOf(server);
      return found.code === 503 ? found : null;
    });
    expect(full.failing).toContainEqual({
      check: 'disk',
      what: expect.stringMatching(/^The disk has \d+ MiB left\.$/),
      advice: expect.stringContaining('Make room'),
    });
  } finally {
    await bench.close();
    await disk.close(null);
    rmSync(folder, { recursive: true });
  }
});

const PAGE_BYTES = 4_096;
const LONG = sh(`echo ${'x'.repeat(100_000)}`);

/** Pages that have nothing but text of the event, and the number of the next such page. */
function breakLongEvents(file: string): void {
  const bytes = readFileSync(file);
  const text = Buffer.alloc(PAGE_BYTES - 4, 'x');
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
    if (bytes.subarray(at + 4, at + PAGE_BYTES).equals(text)) bytes.fill(0xff, at, at + 4);
  }
  writeFileSync(file, bytes);
}

attack('damaged-pages', async () => {
  const first = await bench.server();
  const id = await start(first, oneJob('long', [LONG], { 'runs-on': 'nowhere' }));
  expect((await first.call('DELETE', `/workflows/${id}`)).code).toBe(200);
  await ended(first, id);
  await first.child.kill('SIGTERM');
  breakLongEvents(databaseOf(first));

  const server = await bench.server({ dataDir: first.dataDir });
  const damaged = await eventually('the damage is found', async () => {
    const found = await readinessOf(server);
    return found.code === 503 ? found : null;
  });
  expect(damaged.failing).toEqual([
    {
      check: 'pages',
      what: expect.stringContaining('The database has damaged pages: '),
      advice: expect.stringContaining('restore a backup'),
    },
  ]);
  expect(server.child.stderr).not.toContain('damaged');
  await server.child.kill('SIGTERM');

  const next = await bench.server({ dataDir: first.dataDir });
  expect((await next.call('GET', `/workflows/${id}/status`)).code).toBe(500);
  expect(next.child.stderr).toContain('The database has damaged pages.');
  expect((await readinessOf(next)).message).toBe('The server is not ready: pages.');
});
