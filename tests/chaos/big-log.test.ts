/** A log of a GiB comes in and goes out through a server that has a small heap. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { itemsOf } from '../support/api.ts';
import { exchange, GIB, MIB, open } from '../support/big-content.ts';
import { bytesRead, peakMemory } from '../support/process-facts.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

/** Memory for the content in flight, and the garbage of some hundred slices. */
const GROWTH_MAX = 384 * MIB;
const PIECE = 60_000;

let bench: Workbench;
let server: ServerChild;
let id: string;
let before: number;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ nodeOptions: ['--max-old-space-size=256'] });
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  expect(await ended(server, await start(server, oneJob('warm', [sh('true')])))).toBe('DONE');
  before = peakMemory(server.child.pid);
  const print = `head -c ${GIB} /dev/zero | tr '\\0' x | fold -w ${PIECE}; echo; echo the end`;
  id = await start(server, oneJob('prints', [sh(print)]));
  expect(await ended(server, id, { withinMs: 500_000 })).toBe('DONE');
}, 540_000);

afterAll(() => bench.close());

/** The bytes of an answer that are of the step, and all of them. */
async function read(path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await exchange(open(server, 'GET', path, { headers }));
  let printed = 0;
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    for (let at = chunk.indexOf('x'); at >= 0; at = chunk.indexOf('x', at)) {
      const from = at;
      while (chunk[at] === 120) at += 1;
      printed += at - from;
    }
  }
  return {
    code: answer.statusCode,
    length: Number(answer.headers['content-length']),
    printed,
    size,
  };
}

const log = () => `/workflows/${id}/logs`;

test('all of it is there', async () => {
  const { code, length, printed, size } = await read(log());
  expect([code, size]).toEqual([200, length]);
  // Some of the other lines of the log contain an x.
  expect(printed - GIB).toBeGreaterThanOrEqual(0);
  expect(printed - GIB).toBeLessThan(100);
});

test('its end is read without what comes before', async () => {
  const readBefore = bytesRead(server.child.pid);
  const answer = await server.call('GET', log(), { headers: { range: 'bytes=-2000' } });
  expect(answer.code).toBe(206);
  expect(answer.text).toContain('] the end\n');
  expect(answer.text).toHaveLength(2_000);
  expect(bytesRead(server.child.pid) - readBefore).toBeLessThan(MIB);
});

test('the events that have it come in pages, also those that are chosen', async () => {
  for (const query of ['per_page=1000&page=2', 'per_page=1000&fieldSelector=kind==Notification']) {
    const answer = await server.call('GET', `/workflows/${id}/status`, { query });
    expect(itemsOf(answer)).toHaveLength(1_000);
  }
});

test('the server did not grow with it', () => {
  expect(peakMemory(server.child.pid) - before).toBeLessThan(GROWTH_MAX);
});
