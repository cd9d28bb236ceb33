/** Lists of thousands of runs, from a real store. */
import { expect, onTestFinished, test } from 'vitest';
import { createTestBus, openStoreFolder } from '../../bus/testing.ts';
import { createTestApp } from '../../http/testing.ts';
import { append, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import type { ListedRun, Store } from '../../store/store.ts';
import { EventFeed } from './open-answer.ts';
import { workflowRoutes } from './workflow-routes.ts';

const ENDED = 2_500;
const LIVE = [workflowId(ENDED + 1), workflowId(ENDED + 2)];
const ended = Array.from({ length: ENDED }, (_, index) => workflowId(index + 1));

/** The store with many runs that are over, and two that go on. Also how many rows or groups each read had. */
async function manyRuns() {
  const store = await (await openStoreFolder()).open();
  const rows = [
    ...ended.map((id) => workflowRow(id, { status: 'DONE', live: false })),
    ...LIVE.map((id) => workflowRow(id, { status: 'RUNNING', namespace: 'team' })),
  ];
  await Promise.all(
    rows.map((row) => store.append(append(row.workflowId, 0, { projection: { workflow: row } }))),
  );
  const reads: number[] = [];
  const workflows: Store['workflows'] = async (portion): Promise<readonly ListedRun[]> => {
    const found = await store.workflows(portion);
    reads.push(found.length);
    return found;
  };
  const groupReads: number[] = [];
  const runGroups: Store['runGroups'] = async (query) => {
    const found = await store.runGroups(query);
    groupReads.push(found.length);
    return found;
  };
  const feed = new EventFeed(createTestBus(store));
  const deps = {
    store: { ...store, workflows, runGroups },
    feed,
    apiGroup: 'x.org',
    pendingAsRunning: false,
  };
  const { app, admin, restricted } = await createTestApp({
    routes: [(routes) => workflowRoutes(routes, deps)],
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const ask = async (path: string, authorization = admin) => {
    reads.splice(0);
    groupReads.splice(0);
    const answer = await fetch(new URL(path, url), { headers: { authorization } });
    return JSON.parse(await answer.text()).details;
  };
  return { reads, groupReads, restricted, ask };
}

// HTTP 4.5: GET /workflows: ids of running and recent workflows.
test('a long list is read in portions, and has each run once, in order', async () => {
  const { ask, reads, groupReads } = await manyRuns();
  expect((await ask('/workflows')).items).toEqual([...ended, ...LIVE]);
  expect([reads, groupReads]).toEqual([[], [10, 10, 6, 0]]);
  const { items } = await ask('/workflows?expand=manifest');
  expect(Object.keys(items)).toEqual([...ended, ...LIVE]);
  expect([Math.max(...reads), Math.max(...groupReads)]).toEqual([100, 10]);
  const running = encodeURIComponent('status.phase==RUNNING');
  expect((await ask(`/workflows?fieldSelector=${running}`)).items).toEqual(LIVE);
  expect(Math.max(...reads)).toBe(1_000);
  expect((await ask(`/workflows?fieldSelector=${running}&expand=manifest`)).items).toEqual(
    Object.fromEntries(LIVE.map((id) => [id, expect.objectContaining({})])),
  );
});

test('a list has the runs of the namespaces of its token', async () => {
  const { ask, restricted } = await manyRuns();
  const ofTeam = await restricted({ namespaces: ['team'] });
  expect((await ask('/workflows', ofTeam)).items).toEqual(LIVE);
  // Also after a list that has the others.
  for (const [token, items] of [
    [undefined, [...ended, ...LIVE]],
    [ofTeam, LIVE],
  ] as const) {
    const found = await ask('/workflows?expand=manifest', token);
    expect(Object.keys(found.items)).toEqual(items);
  }
  const ofNobody = await restricted({ namespaces: ['other'] });
  expect((await ask('/workflows', ofNobody)).items).toEqual([]);
  expect((await ask('/workflows?expand=manifest', ofNobody)).items).toEqual({});
});

test('the status of the orchestrator reads no runs that are over', async () => {
  const { ask, reads } = await manyRuns();
  expect(await ask('/workflows/status')).toEqual({ items: LIVE, status: 'BUSY' });
  expect(reads).toEqual([LIVE.length]);
});
