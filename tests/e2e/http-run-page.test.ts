/** Answers of a server to the pages about one run. */
import { formatTimestamp } from '@tutti/manifests';
import {
  emptyRunStory,
  markOf,
  type RunDocument,
  reduceRunStory,
  runDocument,
} from '@tutti/run-view';
import { NO_JOB_ID } from '@tutti/workflow/execution-log';
import { describe, expect, test } from 'vitest';
import { type Answer, bodyOf, detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { ended, logOf, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { type ReportedCase, reportStep, useSample } from '../support/sample-run.ts';
import { openTenants } from '../support/tenants.ts';

const sample = useSample();
const { get, getDone } = sample;

type View = RunDocument & {
  readonly seq: number;
  readonly total: number;
  readonly log_bytes: number;
  readonly failure_line: number | null;
  readonly failure_test: object | null;
};
// The tests look at each part of it.
const partsOf = (answer: Answer) => detailsOf(answer) as unknown as View;

test('the marks of a run are those of its events', async () => {
  const answer = await getDone('marks');
  expectStatus(answer);
  let story = emptyRunStory;
  const marks = sample.events.flatMap((event, at) => {
    story = reduceRunStory(story, event);
    const mark = markOf(event, story.view, at + 1);
    return mark === null ? [] : [[mark.seq, formatTimestamp(mark.at), mark.kind, mark.job]];
  });
  expect(detailsOf(answer)).toEqual({ total: sample.events.length, items: marks });
  // They are the same when they are asked for again, and after a moment in between.
  await getDone('view', 'at=3');
  expect(detailsOf(await getDone('marks')).items).toEqual(marks);
});

describe('the view of a run', () => {
  test('is that of a fold of its events', async () => {
    const answer = await getDone('view');
    expectStatus(answer);
    const {
      seq,
      total,
      log_bytes: logBytes,
      failure_line: line,
      failure_test: test,
      run,
      jobs,
      ...rest
    } = partsOf(answer);
    expect([seq, total]).toEqual([sample.events.length, sample.events.length]);
    expect([line, test]).toEqual([null, null]);
    expect(logBytes).toBe(Buffer.byteLength(await logOf(sample.server, sample.done)));
    const folded = runDocument(sample.events.reduce(reduceRunStory, emptyRunStory));
    const { tests, ...ofRun } = run;
    expect({ ...ofRun, tests: null }).toEqual(folded.run);
    expect(tests).toEqual({ success: 1, failure: 1, error: 0, skipped: 1 });
    expect(jobs.map((job) => ({ ...job, tests: null }))).toEqual(folded.jobs);
    expect(jobs.map((job) => job.tests)).toEqual([null, tests]);
    const { run: _, jobs: __, ...others } = folded;
    expect(rest).toEqual(others);
  });

  test('of an earlier moment is that of the events up to it', async () => {
    for (const at of [0, 1, 5, sample.events.length - 1]) {
      const {
        seq,
        total,
        log_bytes: _,
        failure_line: __,
        failure_test: ___,
        ...view
      } = partsOf(await getDone('view', `at=${at}`));
      expect([seq, total]).toEqual([at, sample.events.length]);
      const events = sample.events.slice(0, at);
      expect(view).toEqual(runDocument(events.reduce(reduceRunStory, emptyRunStory)));
    }
    const { seq } = partsOf(await getDone('view', 'at=99999'));
    expect(seq).toBe(sample.events.length);
  });

  test('may be of one job alone', async () => {
    const { jobs, steps } = partsOf(await getDone('view', 'parent=first&depth=1'));
    expect(jobs).toEqual([]);
    expect(new Set(steps.map(({ job }) => job))).toEqual(new Set(['first']));
  });

  test('says why a job waits', async () => {
    const { jobs } = partsOf(await get(`/workflows/${sample.waiting}/view`));
    expect(jobs).toMatchObject([{ key: 'main', status: 'WAITING' }]);
    expect(jobs[0]?.waiting).toContain('nowhere');
  });

  test('begins with the first failure', async () => {
    const id = await start(
      sample.server,
      oneJob('fails', [sh('echo one; echo two; exit 3'), sh('true')]),
    );
    await ended(sample.server, id);
    const { failures, run } = partsOf(await get(`/workflows/${id}/view`));
    expect(run).toMatchObject({ status: 'FAILED', jobs: { total: 1, failed: 1 } });
    expect(failures[0]).toMatchObject({ job: 'main', exit_code: 3, lines: ['one', 'two'] });
  });

  test('names the first test case that failed in the job that failed first', async () => {
    const cases = [
      { name: 'good', seconds: 1 },
      { name: 'bad', seconds: 1, outcome: '<failure message="broke">at cart.js:3</failure>' },
      { name: 'worse', seconds: 1, outcome: '<failure message="no"/>' },
    ];
    const id = await start(sample.server, oneJob('tested', [reportStep(cases), sh('exit 1')]));
    await ended(sample.server, id);
    await workersEnded(sample.server, id);
    expect(partsOf(await get(`/workflows/${id}/view`)).failure_test).toEqual({
      suite: 'suite',
      name: 'bad',
      message: 'broke',
      text: 'at cart.js:3',
    });
  });

  test.each(['at=-1', 'at=x', 'depth=0', 'parent=a&parent=b'])(
    'of ?%s is Invalid',
    async (query) => {
      const answer = await getDone('view', query);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    },
  );
});

type Row = readonly [
  number: number,
  time: string | null,
  job: string | null,
  text: string,
  rest?: number,
];

interface Window {
  readonly items: readonly Row[];
  readonly total: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly next: number | null;
}

const windowOf = (answer: Answer) => detailsOf(answer) as unknown as Window;

describe('lines of the log', () => {
  /** As the log has them, with their numbers. */
  const rowsOf = (log: string): readonly Row[] =>
    log
      .split('\n')
      .slice(0, -1)
      .map((line, index) => {
        const [, time = null, job = null, text = line] =
          /^\[([^\]]*)\] \[job ([^\]]*)\] (.*)$/.exec(line) ?? [];
        return [index + 1, time, job === NO_JOB_ID ? null : job, text];
      });

  test('are found by their numbers, from each end', async () => {
    const rows = rowsOf(await logOf(sample.server, sample.done));
    const total = rows.length;
    const answer = await getDone('log/lines');
    expectStatus(answer);
    expect(windowOf(answer)).toEqual({ items: rows, total, first: 1, last: total, next: null });
    const some = windowOf(await getDone('log/lines', 'from=3&count=2'));
    expect(some).toEqual({ items: rows.slice(2, 4), total, first: 3, last: 4, next: 5 });
    const end = windowOf(await getDone('log/lines', 'from=-2'));
    expect(end.items).toEqual(rows.slice(-2));
    const none = windowOf(await getDone('log/lines', `from=${total + 1}`));
    expect(none).toEqual({ items: [], total, first: null, last: null, next: null });
  });

  test('may be those of a job, or of one of its steps', async () => {
    const rows = rowsOf(await logOf(sample.server, sample.done));
    const { jobs, steps } = partsOf(await getDone('view'));
    for (const { job_id: job, key } of jobs) {
      const own = rows.filter(([, , jobId]) => jobId === job);
      expect(windowOf(await getDone('log/lines', `job=${job}`)).items).toEqual(own);
      const [step] = steps.filter((each) => each.job === key);
      const ofStep = windowOf(await getDone('log/lines', `job=${job}&step=${step?.id}`)).items;
      expect(ofStep.length).toBeGreaterThan(0);
      expect(ofStep.length).toBeLessThan(own.length);
      const times = ofStep.map(([, time]) => time ?? '');
      expect(times.every((time) => time >= String(step?.started))).toBe(true);
      expect(times.every((time) => time <= String(step?.ended))).toBe(true);
    }
    const unknown = windowOf(await getDone('log/lines', `job=${jobs[0]?.job_id}&step=none`));
    expect(unknown.items).toEqual([]);
  });

  test('lead to the first failure', async () => {
    const steps = [sh('echo one; echo two; exit 3'), sh('true')];
    const id = await start(sample.server, oneJob('leads', steps));
    await ended(sample.server, id);
    const { failure_line: line } = partsOf(await get(`/workflows/${id}/view`));
    const { items } = windowOf(await get(`/workflows/${id}/log/lines`, `from=${line}&count=1`));
    expect(items.map(([, , , text]) => text)).toEqual(['Status code was: 3']);
  });

  test.each(['from=x', 'count=0', 'count=5001'])('by ?%s are Invalid', async (query) => {
    const answer = await getDone('log/lines', query);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
  });
});

describe('a search in the log', () => {
  const found = async (query: string) => {
    const { text, headers } = await getDone('log/search', query);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const parts = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const { count, total, buckets } = parts.at(-1);
    return { hits: parts.slice(0, -1).flatMap((part) => part.hits), count, total, buckets };
  };

  test.each([
    'q=shown',
    'q=SHOWN&ignoreCase',
    'q=sho%5B%5Eo%5D%2Bn&regex',
    'q=SH.WN&regex&ignoreCase',
  ])('for ?%s finds lines and counts them', async (query) => {
    const { hits, count, total, buckets } = await found(query);
    const { items } = windowOf(await getDone('log/lines'));
    const wanted = items.filter(([, , , text]) => /sho[^o]+n/.test(text));
    expect(wanted.length).toBeGreaterThan(0);
    expect(hits.map(([number]: Row) => number)).toEqual(wanted.map(([number]) => number));
    expect([count, total]).toEqual([wanted.length, items.length]);
    expect(buckets).toHaveLength(200);
    expect(buckets.reduce((sum: number, hits: number) => sum + hits, 0)).toBe(count);
  });

  test('lists some hits, and counts all', async () => {
    const all = await found('q=e');
    const { hits, count } = await found('q=e&limit=2');
    expect(hits).toEqual(all.hits.slice(0, 2));
    expect(count).toBe(all.count);
    expect(count).toBeGreaterThan(2);
  });

  test('may be in the lines of one job', async () => {
    const { jobs } = partsOf(await getDone('view'));
    const all = await found('q=a');
    const counts = await Promise.all(
      jobs.map(async ({ job_id: job }) => (await found(`q=a&job=${job}`)).count),
    );
    expect(counts.every((count) => count > 0 && count < all.count)).toBe(true);
  });

  test.each(['', 'q=', 'q=a%28&regex', `q=${'a'.repeat(257)}`, 'q=a&limit=0'])(
    'by ?%.20s is Invalid',
    async (query) => {
      const answer = await getDone('log/search', query);
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    },
  );
});

test('failed test cases are grouped by what made them fail', async () => {
  const failed = (name: string, message: string) => ({
    ...{ name, seconds: 1 },
    outcome: `<failure type="E" message="${message}"/>`,
  });
  const steps = [
    reportStep([
      failed('pays', 'no order 17'),
      { name: 'adds', seconds: 1 },
      failed('ships', 'connection refused'),
      failed('sums', 'no order 42'),
    ]),
  ];
  const id = await start(sample.server, oneJob('grouped', steps));
  await ended(sample.server, id);
  await workersEnded(sample.server, id);
  const answer = await eventually('the history of the run', async () => {
    const found = await get(`/workflows/${id}/causes`);
    return Object(itemsOf(found)[0]).known === null ? null : found;
  });
  expectStatus(answer);
  const known = {
    cause_id: expect.any(String),
    isNew: true,
    since: { workflow_id: id, at: expect.any(String) },
  };
  const test = (name: string) => ({
    ...{ id: expect.any(String), job: 'main' },
    ...{ suite: 'suite', name },
  });
  const cause = { id: expect.stringMatching(/^[0-9a-f]{64}$/), known };
  expect(detailsOf(answer)).toEqual({
    failures: 3,
    ungrouped: 0,
    items: [
      { ...cause, title: 'no order <number>', failures: 2, tests: [test('pays'), test('sums')] },
      { ...cause, title: 'connection refused', failures: 1, tests: [test('ships')] },
    ],
  });
});

describe('two runs that are compared', () => {
  interface Rows {
    readonly items: readonly { readonly name: string; readonly before: unknown }[];
    readonly total: number;
  }

  const run = async (cases: readonly ReportedCase[]) => {
    const id = await start(sample.server, oneJob('compared', [reportStep(cases)]));
    await ended(sample.server, id);
    await workersEnded(sample.server, id);
    return id;
  };
  const failed = (name: string) => ({ name, seconds: 1, outcome: '<failure message="no"/>' });
  const passed = (name: string, seconds = 1) => ({ name, seconds });

  test('have lists of the test cases that differ', async () => {
    const before = await run([
      passed('breaks'),
      failed('mends'),
      failed('stays'),
      passed('goes'),
      passed('slows'),
      passed('same', 10),
    ]);
    const after = await run([
      failed('breaks'),
      passed('mends'),
      failed('stays'),
      passed('comes'),
      failed('comes broken'),
      passed('slows', 3),
      passed('same', 11),
    ]);
    const answer = await get(`/workflows/${after}/compare`, `with=${before}`);
    expectStatus(answer);
    const { before: one, after: other, ...lists } = detailsOf(answer);
    expect([one, other]).toEqual([before, after]);
    const names = Object.entries(lists as Record<string, Rows>).map(([list, { items, total }]) => {
      expect(total).toBe(items.length);
      return [list, items.map(({ name }) => name)];
    });
    expect(Object.fromEntries(names)).toEqual({
      newly_failed: ['breaks', 'comes broken'],
      fixed: ['mends'],
      still_failing: ['stays'],
      new: ['comes'],
      gone: ['goes'],
      slower: ['slows'],
    });
  });

  test.each(['', 'with=x', `with=${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`])(
    'are known: ?%s is not found',
    async (query) => {
      expect(bodyOf(await getDone('compare', query))).toMatchObject({ code: 404 });
    },
  );

  test('are both in namespaces of the reader', async () => {
    const tenants = await openTenants(sample.bench);
    const steps = [sh('true')];
    const [own, foreign] = await Promise.all(
      ['ours', 'theirs'].map((namespace) =>
        start(
          tenants.as('ada', namespace),
          oneJob('apart', steps, { 'runs-on': 'nowhere' }),
          `namespace=${namespace}`,
        ),
      ),
    );
    const reader = tenants.as('ada', 'ours');
    const compared = async (one: string | undefined, other: string | undefined) =>
      (await reader.call('GET', `/workflows/${one}/compare`, { query: `with=${other}` })).code;
    expect(await compared(own, own)).toBe(200);
    expect(await compared(own, foreign)).toBe(403);
    expect(await compared(foreign, own)).toBe(403);
  });
});
