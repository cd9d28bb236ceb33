/** The routes over a real store, with runs as they are after their jobs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttachmentId,
  type BrokenReport,
  formatTimestamp,
  type JobId,
  parseWorkflowId,
  type WorkflowId,
} from '@tutti/manifests';
import type { Run, TestOutcome } from '@tutti/workflow';
import { createTestClock, NOW_MS } from '../../auth/testing.ts';
import { readHere } from '../../http/document-tasks.ts';
import { createTestApp } from '../../http/testing.ts';
import { createLogger } from '../../runtime/logger.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Store, TestCaseRow, WorkflowRow } from '../../store/store.ts';
import { loadConfiguredGates } from './configured-gates.ts';
import type { RunFeed } from './judge-run.ts';
import { qualityGateRoutes } from './routes.ts';

export const UNKNOWN = '0198c0de-0000-7000-8000-0000000000ff';
/** The job of all test cases. */
export const JOB = '0198c0de-0000-7000-8000-00000000000a' as JobId;

/** Changes come when the test says so. */
export class TestFeed implements RunFeed {
  isClosed = false;
  #wakes: (() => void)[] = [];
  #watched: () => void = () => undefined;
  readonly whenWatched = new Promise<void>((resolve) => {
    this.#watched = resolve;
  });

  watch(_workflowId: WorkflowId, wake: () => void): () => void {
    this.#wakes.push(wake);
    this.#watched();
    return () => {
      this.#wakes = this.#wakes.filter((other) => other !== wake);
    };
  }

  admit(): () => void {
    return () => undefined;
  }

  get watchers(): number {
    return this.#wakes.length;
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }
}

export interface Call {
  /** With its question mark. */
  readonly query?: string;
  readonly body?: string;
  /** Media type of the body; null for none. */
  readonly type?: string | null;
  readonly authorization?: string;
}

export type GateFixture = Awaited<ReturnType<typeof openGateFixture>>;

/** Closed by its `close`, with everything in it. */
export async function openGateFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-qualitygate-'));
  const store = await openSqliteStore({ file: join(folder, 'tutti.db') });
  const clock = createTestClock();
  const gates = await loadConfiguredGates([], createLogger({ level: 'silent' }));
  /** Runs that are known with their events; all others took nothing over. */
  const folded = new Map<WorkflowId, Run>();
  const runs = { find: async (id: WorkflowId) => folded.get(id) ?? null };
  const parts = { store, clock, feed: new TestFeed(), gates, runs, documents: readHere };
  const deps = { ...parts, quarantine: 'respect' as const };
  const fixture = await createTestApp({ routes: [qualityGateRoutes(deps)] });
  const call = async (method: 'GET' | 'POST', id: string, given: Call = {}) => {
    const { query = '', body, type = 'application/x-yaml', authorization = fixture.admin } = given;
    const hasType = body !== undefined && type !== null;
    const response = await fixture.app.inject({
      method,
      url: `/workflows/${id}/qualitygate${query}`,
      headers: { authorization, ...(hasType ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { ...response.json(), headers: response.headers };
  };
  return {
    ...fixture,
    store,
    clock,
    folded,
    call,
    get: (id: string, query = '') => call('GET', id, { query }),
    /** By the gate `mine` of the body. */
    post: (id: string, body: string, more: Call = {}) =>
      call('POST', id, { query: '?mode=mine', body, ...more }),
    addRun: runAdder(store),
    close: async () => {
      await fixture.app.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function runAdder(store: Store) {
  let runs = 0;
  /** A run with test cases of these outcomes, half of them of `job-0` and half of `job-1`; answers its id. */
  return async (
    outcomes: readonly TestOutcome[],
    more: Partial<WorkflowRow> = {},
    broken: readonly BrokenReport[] = [],
    first: object = {},
    /** More fields of the test of a test case, by its number. */
    known: (index: number) => object = () => ({}),
  ): Promise<WorkflowId> => {
    runs += 1;
    const workflowId = parseWorkflowId(`0198c0de-0000-7000-8000-${String(runs).padStart(12, '0')}`);
    const testCases = outcomes.map((outcome, index): TestCaseRow => {
      const test = { outcome, technology: 'junit', job: `job-${index % 2}`, ...known(index) };
      const metadata = { job_id: JOB };
      const key = { suite: 'suite', name: String(index), reference: '' };
      const [startedAt, endedAt] = [formatTimestamp(0), formatTimestamp(5)];
      const execution = { outcome, durationMs: 5, startedAt, endedAt };
      const json = JSON.stringify({ metadata, test, status: outcome.toUpperCase() });
      return { key, jobId: JOB, precedence: 0, ...execution, json };
    });
    await appendRow(store, rowOf(workflowId, more), { expectedSeq: 0, testCases, broken, first });
    return workflowId;
  };
}

/** The row of a run that is over. */
export function rowOf(workflowId: WorkflowId, more: Partial<WorkflowRow> = {}): WorkflowRow {
  const createdAt = formatTimestamp(NOW_MS);
  return {
    workflowId,
    name: 'demo',
    namespace: 'ours',
    status: 'DONE',
    live: false,
    workers: [],
    createdAt,
    completedAt: createdAt,
    ...more,
  };
}

interface RowParts {
  readonly expectedSeq: number;
  readonly testCases?: readonly TestCaseRow[];
  readonly broken?: readonly BrokenReport[];
  readonly first?: object;
}

export async function appendRow(
  store: Store,
  workflow: WorkflowRow,
  { expectedSeq, testCases = [], broken = [], first = {} }: RowParts,
): Promise<void> {
  const brokenReports = broken.map((report, index) => ({
    attachmentId: `0198c0de-0000-7000-8000-a${String(index).padStart(11, '0')}` as AttachmentId,
    json: JSON.stringify(report),
  }));
  await store.append({
    workflowId: workflow.workflowId,
    expectedSeq,
    events: [{ kind: 'Workflow', json: JSON.stringify(first) }],
    documents: [],
    outbox: [],
    projection: { workflow, logText: '', attachments: [], testCases, brokenReports, jobs: [] },
  });
}

/** One gate, its rules in YAML. */
export const definition = (rules: string, name = 'mine'): string =>
  `qualitygates:\n- name: ${name}\n  rules: ${rules}\n`;
