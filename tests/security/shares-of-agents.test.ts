/** One namespace fills the queue of the only agent; another one asks for it, too. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { ended, logged, oneJob, sh, start } from '../support/runs.ts';
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

const startIn = (namespace: string, script: string, tag = 'linux') => {
  const run = oneJob(namespace, [sh(script)], { 'runs-on': tag });
  return start(server, { ...run, metadata: { name: namespace, namespace } });
};

attack('full-queue', async () => {
  const order = bench.path('order');
  const queue = (namespace: string) => startIn(namespace, `echo ${namespace} >> '${order}'`);
  // They queue before there is an agent, so that all of them are older than those of the other namespace.
  for (let index = 0; index < QUEUED; index += 1) await queue('greedy');
  const others = [await queue('modest'), await queue('modest'), await queue('modest')];
  await bench.agent(server, { tags: ['linux'], namespaces: 'greedy,modest' });
  for (const id of others) expect(await ended(server, id)).toBe('DONE');
  const served = (await readFile(order, 'utf8')).trim().split('\n');
  const turns = ['greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest'];
  expect(served.slice(0, turns.length)).toEqual(turns);
});

attack('full-queue-elsewhere', async () => {
  const [order, gate] = [bench.path('order'), bench.path('gate')];
  await bench.agent(server, { tags: ['linux', 'own'], namespaces: 'busy' });
  const long = await startIn(
    'busy',
    `echo begun; until [ -e '${gate}' ]; do sleep 0.05; done`,
    'own',
  );
  await logged(server, long, 'begun');
  const queue = (namespace: string) =>
    startIn(namespace, `echo ${namespace} >> '${order}'`, 'shared');
  for (let index = 0; index < QUEUED; index += 1) await queue('flooding');
  const others = [await queue('busy'), await queue('busy')];
  await bench.agent(server, { tags: ['linux', 'shared'], namespaces: 'flooding,busy' });
  for (const id of others) expect(await ended(server, id)).toBe('DONE');
  const served = (await readFile(order, 'utf8')).trim().split('\n');
  expect(served.slice(0, 4)).toEqual(['flooding', 'busy', 'flooding', 'busy']);
  await writeFile(gate, '');
  expect(await ended(server, long)).toBe('DONE');
});
