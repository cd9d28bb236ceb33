/** One namespace fills the queue of the only agent; another one asks for it, too. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const QUEUED = 30;

attack('full-queue', async () => {
  const order = bench.path('order');
  const startIn = (namespace: string) => {
    const run = oneJob(namespace, [sh(`echo ${namespace} >> '${order}'`)]);
    return start(server, { ...run, metadata: { name: namespace, namespace } });
  };
  // They queue before there is an agent, so that all of them are older than those of the other namespace.
  for (let index = 0; index < QUEUED; index += 1) await startIn('greedy');
  const others = [await startIn('modest'), await startIn('modest'), await startIn('modest')];
  await bench.agent(server, { tags: ['linux'], namespaces: 'greedy,modest' });
  for (const id of others) expect(await ended(server, id)).toBe('DONE');
  const served = (await readFile(order, 'utf8')).trim().split('\n');
  const turns = ['greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest'];
  expect(served.slice(0, turns.length)).toEqual(turns);
});
