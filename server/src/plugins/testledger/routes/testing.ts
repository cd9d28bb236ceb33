/** The routes with a real store, whose history is written as the projector does. For tests. */
import { createHash } from 'node:crypto';
import { formatTimestamp, type WorkflowId } from '@tutti/manifests';
import { type Execution, Ledger, testIdOf, variantIdOf } from '@tutti/test-history';
import { openStoreFolder } from '../../../bus/testing.ts';
import { createTestApp } from '../../../http/testing.ts';
import type { Store } from '../../../store/store.ts';
import type { FoldedVariant, TestRow } from '../../../store/test-history.ts';
import { testRoutes } from './routes.ts';

export const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');
export const START_MS = Date.UTC(2026, 0, 1);
export const DAY_MS = 86_400_000;
const runId = (number: number) =>
  `aaaaaaaa-1111-4222-8333-${String(number).padStart(12, '0')}` as WorkflowId;

/** The outcomes of a test in one run: a letter for each attempt. */
interface Ran {
  readonly name: string;
  readonly namespace?: string;
  readonly outcomes: string;
  readonly job?: string;
}

export class History {
  readonly store: Store;
  readonly #ledgers = new Map<string, Ledger>();
  #runs = 0;

  constructor(store: Store) {
    this.store = store;
  }

  async run(version: string | null, ran: readonly Ran[], onlyFailed: string | null = null) {
    this.#runs++;
    const workflowId = runId(this.#runs);
    const atMs = START_MS + this.#runs * DAY_MS;
    const [{ namespace = 'ours' } = {}] = ran;
    const begin = {
      ...{ workflowId, namespace, project: 'shop', name: 'nightly', version, branch: 'main' },
      ...{ isMain: true, createdAt: formatTimestamp(atMs), massJobs: [] },
      places: [{ agent: 'build-7', tags: ['linux'] }],
    };
    await this.store.write({ testHistory: { begin } });
    const begun = await this.store.begunRun(workflowId);
    if (begun === null) throw new Error('No run was begun.');
    const at = { run: begun.run, version: begun.versionNumber, atMs };
    const variants = ran.map((each) => this.#folded(each, at));
    const end = { run: begun.run, workflowId, mark: 1, onlyFailed };
    const journal = variants.map(({ test: { id }, variant }) => ({
      ...{ atMs, testId: id, variantId: variant.id, kind: 'state' },
      json: '{"state":"seen"}',
    }));
    await this.store.write({ testHistory: { part: { run: begun.run, variants, journal }, end } });
    return workflowId;
  }

  #folded(
    { name, namespace = 'ours', outcomes, job = 'unit' }: Ran,
    at: Pick<Execution, 'run' | 'version' | 'atMs'>,
  ): FoldedVariant {
    const row = testRow(name, namespace);
    const where = { job, function: job === 'unit' ? '' : 'junit/execute' };
    const id = variantIdOf(row.id, where, sha1);
    const ledger = this.#ledgers.get(id) ?? new Ledger();
    this.#ledgers.set(id, ledger);
    const executions = [...outcomes].map((letter, index) => ({
      ...{ attempt: index + 1, startedMs: at.atMs + index, durationMs: 10, place: 0 },
      outcome: letter === 'F' ? ('failure' as const) : ('success' as const),
    }));
    for (const execution of executions) ledger.fold({ ...execution, ...at });
    const { state, flakeRate } = ledger.judgement;
    const { failures, executions: count } = ledger.totals;
    const figures = { state, flakeRate, failures, executions: count, durationMs: 10 };
    const lastFailedMs = failures === 0 ? null : at.atMs;
    const bytes = ledger.write();
    const variant = { id, ...where };
    return { test: row, variant, executions, ledger: { ...figures, lastFailedMs, bytes } };
  }
}

export function testRow(name: string, namespace = 'ours'): TestRow {
  const parts = { namespace, project: 'shop', technology: 'junit', suite: 'cart', name };
  return { id: testIdOf(parts, sha1), ...parts };
}

export async function setUp() {
  const store = await (await openStoreFolder()).open();
  const time = { nowMs: START_MS + 40 * DAY_MS };
  const clock = { now: () => time.nowMs };
  const rules = { days: 14, daysMax: 60, share: 0.5 };
  const { app, admin, restricted } = await createTestApp({
    routes: [testRoutes({ store, runs: { find: async () => null }, clock, rules })],
  });
  const ask = async (url: string, authorization = admin) => {
    const answer = await app.inject({ url, headers: { authorization } });
    return { code: answer.statusCode, link: answer.headers.link, ...answer.json() };
  };
  const items = async (query: string, authorization = admin) =>
    (await ask(`/tests?${query}`, authorization)).details.items;
  const quarantine = async (
    method: 'POST' | 'DELETE',
    path: string,
    payload?: object,
    authorization = admin,
  ) => {
    const url = `/tests/${path}`;
    const body = payload === undefined ? {} : { payload };
    const answer = await app.inject({ method, url, headers: { authorization }, ...body });
    return { code: answer.statusCode, ...answer.json() };
  };
  return { history: new History(store), ask, items, restricted, quarantine, time, store };
}

/** `flaky` contradicts itself on two versions, `red` fails since the version v30. */
export async function someHistory() {
  const parts = await setUp();
  const { history } = parts;
  const runs: WorkflowId[] = [];
  for (let number = 1; number <= 33; number++) {
    const flaky = number === 20 || number === 31 ? 'FS' : 'S';
    const red = number >= 30 ? 'FF' : 'S';
    const id = await history.run(
      `v${number}`,
      [
        { name: 'flaky', outcomes: flaky },
        { name: 'red', outcomes: red },
        { name: 'green', outcomes: 'S' },
      ],
      number >= 30 ? testRow('red').id : null,
    );
    runs.push(id);
  }
  return { ...parts, runs };
}
