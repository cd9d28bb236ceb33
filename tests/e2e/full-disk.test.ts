/**
 * A server whose disk gets full while it works, and an agent of ours on another disk. The tests check its answers, the work that goes on,
 * and the data once there is room.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Disk, openDisk } from '../chaos/program/disk.ts';
import { type Answer, bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import {
  allEvents,
  ended,
  logOf,
  oneJob,
  sh,
  start,
  startedId,
  statusOf,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

/** Takes the room that a database has before it asks its disk for more. */
const LARGE = oneJob('large', [sh('true')], { name: 'x'.repeat(200_000) });
const TRIES_MAX = 1_000;

let bench: Workbench;
let folder: string;
let disk: Disk;
let server: ServerChild;

beforeEach(async () => {
  bench = await Workbench.open();
  folder = await mkdtemp(join(tmpdir(), 'tutti-disk-'));
  disk = await openDisk(folder);
});

afterEach(async () => {
  await bench.close();
  await disk.close(null);
  await rm(folder, { recursive: true });
});

/** Fills the disk, and starts runs until one is refused; gives its answer, and the ids of the others. */
async function fillUp(): Promise<{ readonly refusal: Answer; readonly accepted: string[] }> {
  await disk.fill?.(0);
  const accepted: string[] = [];
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await server.call('POST', '/workflows', { body: LARGE });
    if (answer.code !== 201) return { refusal: answer, accepted };
    accepted.push(startedId(answer));
  }
  throw new Error('The disk takes everything.');
}

async function postWithFile(): Promise<Answer> {
  const form = new FormData();
  const manifest = { ...oneJob('file', [sh('true')]), resources: { files: ['data'] } };
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('data', new Blob(['some bytes']), 'data');
  return await server.call('POST', '/workflows', { body: form });
}

const PATIENT = { timeout: 240_000 };

// Bound: Free space on the disk of the store.
test(
  'a server whose disk is full refuses what is new, shows what is there, and loses nothing',
  PATIENT,
  async ({ skip }) => {
    skip(disk.fill === null, disk.missing.join(' '));
    const dataDir = join(disk.folder, 'server');
    server = await bench.server({ dataDir });
    const agent = await bench.agent(server, { tags: ['linux'] });
    const gate = createGate(bench, 'before', 'after');
    const marks = bench.path('marks');
    const held = await start(server, oneJob('held', [gate.step, sh(`echo once >> '${marks}'`)]));
    const waiting = await start(server, oneJob('waiting', [sh('echo my turn')]));
    await eventually('the step that waits', async () =>
      (await logOf(server, held)).includes('before'),
    );

    const { refusal, accepted } = await fillUp();
    expect(refusal.code).toBe(503);
    expect(refusal.headers.get('retry-after')).toBe('10');
    expect(bodyOf(refusal)).toMatchObject({
      reason: 'ServiceUnavailable',
      message: 'The disk of the server is full.',
      details: {
        error:
          'Nothing of the request was stored. The server goes on by itself when there is room again.',
      },
    });

    const file = await postWithFile();
    expect([file.code, file.headers.get('retry-after')]).toEqual([503, '10']);
    expect(bodyOf(file).message).toBe(
      'The file could not be stored: the server has no space left for it.',
    );

    // The result of the step cannot be stored: its agent keeps it, and nothing that follows from it happens.
    await gate.open();
    await eventually('a result that was refused', async () => {
      const { text } = await server.call('GET', '/metrics');
      return /^tutti_http_requests_total\{.*route="\/agents\/\{agent_id\}",code="503"/m.test(text);
    });
    expect([await statusOf(server, held), await statusOf(server, waiting)]).toEqual([
      'RUNNING',
      'PENDING',
    ]);
    expect((await server.call('GET', '/workflows')).code).toBe(200);
    expect(await logOf(server, held)).toContain('before');
    expect([server.child.isRunning, agent.child.isRunning]).toEqual([true, true]);

    await disk.clear();
    const runs = [held, waiting, ...accepted];
    for (const id of runs) expect(await ended(server, id)).toBe('DONE');
    expect(await logOf(server, held)).toMatch(/before[\s\S]*after/);
    expect(readFileSync(marks, 'utf8')).toBe('once\n');
    expect((await postWithFile()).code).toBe(201);

    const before = await Promise.all(runs.slice(0, 2).map((id) => allEvents(server, id)));
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir });
    expect(await Promise.all(runs.slice(0, 2).map((id) => allEvents(server, id)))).toEqual(before);
    for (const id of runs) expect(await statusOf(server, id)).toBe('DONE');
  },
);
