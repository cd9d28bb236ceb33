/** Results of one name: in one report, in several of one step, and in those of a later step. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf, itemsOf } from '../support/api.ts';
import { ended, type Manifest, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { type ReportedCase, reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { xmlReportOf } from '../support/xml-report.ts';
import { runCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
});

afterAll(() => bench.close());

const adds = (outcome = ''): ReportedCase => ({ name: 'adds', seconds: 0.25, outcome });
const FAILED = adds('<failure message="1 != 2"/>');
const BROKEN = adds('<error message="no bank"/>');
const SKIPPED = adds('<skipped/>');
const TRIED_AGAIN = adds('<flakyFailure message="late"/>');

async function ran(name: string, steps: readonly Manifest[]): Promise<string> {
  const id = await start(server, oneJob(name, steps));
  await ended(server, id);
  await workersEnded(server, id);
  return id;
}

interface Shown {
  readonly status: string;
  readonly metadata: { readonly executions: number };
  readonly executionHistory?: readonly { readonly status: string }[];
}

async function shownCase(id: string): Promise<Shown> {
  const items = itemsOf(await server.call('GET', `/workflows/${id}/datasources/testcases`));
  expect(items).toHaveLength(1);
  return items[0] as Shown;
}

const verdictOf = async (id: string) =>
  detailsOf(await server.call('GET', `/workflows/${id}/qualitygate`)).status;

test.each<
  readonly [
    what: string,
    reports: readonly (readonly ReportedCase[])[],
    status: string,
    others: readonly string[],
  ]
>([
  ['a failure before a success', [[FAILED, adds()]], 'FAILURE', ['SUCCESS']],
  ['a failure behind a success', [[adds(), FAILED]], 'FAILURE', ['SUCCESS']],
  ['an error before a failure', [[BROKEN, FAILED]], 'ERROR', ['FAILURE']],
  ['what was skipped behind a success', [[adds(), SKIPPED]], 'SUCCESS', ['SKIPPED']],
  ['an attempt', [[TRIED_AGAIN]], 'SUCCESS', ['FAILURE']],
  ['an attempt behind a failure', [[FAILED, TRIED_AGAIN]], 'FAILURE', ['FAILURE', 'SUCCESS']],
  ['a step that ran the test again', [[FAILED], [adds()]], 'SUCCESS', ['FAILURE']],
  ['a step that skipped a failure', [[FAILED], [SKIPPED]], 'FAILURE', ['SKIPPED']],
  ['a step that skipped a success', [[adds()], [SKIPPED]], 'SUCCESS', ['SKIPPED']],
  ['a step that ran what was skipped', [[SKIPPED], [adds()]], 'SUCCESS', ['SKIPPED']],
  ['a step that failed again', [[FAILED, adds()], [adds(), FAILED]], 'FAILURE', ['SUCCESS', 'FAILURE', 'SUCCESS']],
])('%s', async (what, reports, status, others) => {
  const id = await ran(what.replaceAll(' ', '-'), reports.map((cases) => reportStep(cases)));
  const shown = await shownCase(id);
  expect(shown.status).toBe(status);
  expect(shown.metadata.executions).toBe(others.length + 1);
  expect(shown.executionHistory?.map((one) => one.status).toSorted()).toEqual(others.toSorted());
  expect(await verdictOf(id)).toBe(status === 'SUCCESS' ? 'SUCCESS' : 'FAILURE');
}); // biome-ignore format: one line for each form

test('everything that tells of a run has the failure', async () => {
  const id = await ran('told', [reportStep([FAILED, adds()])]);
  const cli = (...args: string[]) =>
    runCli([...args, '--server', server.url], {
      cwd: bench.folder,
      env: { TUTTI_TOKEN: server.token },
    });
  const formats = await Promise.all(
    ['table', 'json', 'junit', 'ctrf'].map(async (format) => {
      return (await cli('testcases', id, '-o', format)).stdout;
    }),
  );
  const [table = '', json = '', junit = '', ctrf = ''] = formats;
  expect(table).toMatch(/adds .*failure/);
  expect(JSON.parse(json).details.items).toMatchObject([{ status: 'FAILURE' }]);
  expect(junit).toContain('<failure message="1 != 2"/>');
  expect(JSON.parse(ctrf).results.summary).toMatchObject({ tests: 1, passed: 0, failed: 1 });
  expect((await cli('gate', id)).code).toBe(102);
  expect(await xmlReportOf(server, id)).toContain('tests="1" failures="1" errors="0" skipped="0"');
  const [job] = itemsOf(await server.call('GET', `/workflows/${id}/datasources/jobs`));
  expect(JSON.stringify(job)).toContain('"failure":1');
});

test.each([
  ['fails first', [FAILED, adds()]],
  ['fails last', [adds(), FAILED]],
])('one of several reports of a step %s', async (what, cases) => {
  const [first, second] = cases.map((each) => reportStep([each]));
  const run = `mkdir a b; cd a; ${first?.run}\ncd ../b; ${second?.run}`;
  const id = await ran(what.replaceAll(' ', '-'), [sh(run)]);
  expect((await shownCase(id)).status).toBe('FAILURE');
  expect(await verdictOf(id)).toBe('FAILURE');
});

test('its later runs tell last what counted', async () => {
  await ran('again', [reportStep([FAILED, adds()])]);
  const { executionHistory } = await shownCase(await ran('again', [reportStep([adds()])]));
  expect(executionHistory?.map(({ status }) => status)).toEqual(['SUCCESS', 'FAILURE']);
});
