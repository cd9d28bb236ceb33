/** Judged steps whose server or agent is killed at each stage. No test runs twice for one attempt, and none is lost. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { allEvents, ended, logOf, type Manifest, oneJob, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

/** Runs the tests that it gets, or all. `b` and `d` fail in their first execution. Each execution adds a line to a file. */
const TOOL = `
[ $# -gt 0 ] || set -- t.py::a t.py::b t.py::c t.py::d t.py::e
status=0
cases=
for test; do
  name=\${test##*::}
  echo "$name" >> "$EXECUTIONS"
  sleep "$PACE"
  failure=
  case $name in [bd]) [ "$(grep -c "^$name" "$EXECUTIONS")" -gt 1 ] || { failure='<failure message="first"/>'; status=1; } ;; esac
  cases="$cases<testcase classname='t' file='t.py' name='$name' time='0.3'>$failure</testcase>"
done
echo "<testsuite name='t'>$cases</testsuite>" > report.xml
exit $status
`;

const ALL = { a: 1, b: 2, c: 1, d: 2, e: 1 };

let bench: Workbench;
let providers: string;

beforeAll(async () => {
  bench = await Workbench.open();
  providers = await mkdtemp(join(bench.folder, 'functions-'));
  const tool = join(bench.folder, 'tool.sh');
  await writeFile(tool, TOOL);
  const description = {
    apiVersion: 'tutti/v1',
    kind: 'Provider',
    metadata: { name: 'kit' },
    functions: [
      {
        name: 'kit/tests@v1',
        description: 'Runs tests.',
        steps: [{ command: ['bash', tool, `\${{ tests.selected }}`] }],
        select: { unit: 'pytest' },
        attach: [
          {
            path: 'report.xml',
            type: 'application/vnd.opentestfactory.pytest-surefire+xml',
          },
        ],
      },
    ],
  };
  await writeFile(join(providers, 'kit.yaml'), JSON.stringify(description));
});

afterAll(() => bench.close());

const executionsFile = async () => join(await mkdtemp(join(bench.folder, 'run-')), 'executions');

async function executionsIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const judgedRun = (EXECUTIONS: string, tests: Manifest, PACE = '0.3'): Manifest =>
  oneJob('judged', [{ uses: 'kit/tests@v1', tests }], { variables: { EXECUTIONS, PACE } });

const hasRun = (file: string, count: number) =>
  eventually(`${count} executions`, async () => (await executionsIn(file)).length >= count, {
    withinMs: 60_000,
  });

const config = () => ({ providers: { directory: providers } });

test('a server that is killed at each execution, and between the attempts, loses and repeats none', async () => {
  let server: ServerChild = await bench.server({ config: config() });
  await bench.agent(server, { tags: ['linux'] });
  const port = Number(new URL(server.url).port);
  const { dataDir } = server;
  const restart = async () => {
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir, port, config: config() });
  };
  const file = await executionsFile();
  const id = await start(server, judgedRun(file, { retry: { times: 2, 'delay-seconds': 2 } }));
  for (const count of [1, 3, 5]) {
    await hasRun(file, count);
    await restart();
  }
  await eventually('the verdict', async () =>
    (await logOf(server, id)).includes('2 of 5 tests failed. They run again: attempt 2 of 3.'),
  );
  await restart();
  for (const count of [6, 7]) {
    await hasRun(file, count);
    await restart();
  }
  expect(await ended(server, id)).toBe('DONE');
  expect(counted(await executionsIn(file))).toEqual(ALL);
  const kinds = (await allEvents(server, id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'TestsCommand' || kind === 'TestsResult')).toEqual([
    'TestsCommand',
    'TestsResult',
    'TestsCommand',
    'TestsResult',
  ]);
  await server.child.kill('SIGKILL');
}, 240_000);

test('the attempt of an agent that is killed is not run by another', async () => {
  const agents = { disconnectGraceSeconds: 3, absenceSeconds: 3 };
  const server = await bench.server({ config: { ...config(), agents } });
  const agent = await bench.agent(server, { tags: ['linux'] });
  const file = await executionsFile();
  const id = await start(server, judgedRun(file, { retry: { times: 5 } }, '2'));
  await hasRun(file, 6);
  await agent.child.kill('SIGKILL');
  await bench.agent(server, { tags: ['linux'] });
  expect(await ended(server, id, { withinMs: 60_000 })).toBe('FAILED');
  const counts = counted(await executionsIn(file));
  for (const [name, count] of Object.entries(ALL)) {
    expect(counts[name]).toBeLessThanOrEqual(count);
  }
}, 120_000);

test('a flaked test is shown as such, and can be refused', async () => {
  const server = await bench.server({ config: config() });
  await bench.agent(server, { tags: ['linux'] });
  const file = await executionsFile();
  const tests = { retry: { times: 1 }, 'fail-on-flaked': true };
  const id = await start(server, judgedRun(file, tests));
  expect(await ended(server, id)).toBe('FAILED');
  const query = 'scope=test.flaked';
  const answer = await server.call('GET', `/workflows/${id}/datasources/testcases`, { query });
  const items = detailsOf(answer).items as readonly { readonly test: Manifest }[];
  expect(items.map(({ test }) => [test.testCaseName, test.outcome, test.retried])).toEqual([
    ['b', 'success', true],
    ['d', 'success', true],
  ]);
  expect(await logOf(server, id)).toContain('2 tests flaked (failed, then passed): t#b, t#d.');
  expect(counted(await executionsIn(file))).toEqual(ALL);
});

test('a failure in quarantine does not fail its step', async () => {
  const server = await bench.server({ config: { ...config(), quarantine: { share: 1 } } });
  await bench.agent(server, { tags: ['linux'] });
  const first = await start(server, judgedRun(await executionsFile(), {}));
  expect(await ended(server, first)).toBe('FAILED');
  const failed = await eventually('the history of the tests', async () => {
    const items = itemsOf(await server.call('GET', '/tests', { query: 'sort=-failures' }));
    return items.length === 5 && items.slice(0, 2);
  });
  for (const item of failed) {
    const body = { reason: 'fails first' };
    const path = `/tests/${Object(item).metadata.id}/quarantine`;
    expect((await server.call('POST', path, { body })).code).toBe(201);
  }
  const spared = await start(server, judgedRun(await executionsFile(), {}));
  expect(await ended(server, spared)).toBe('DONE');
  expect(await logOf(server, spared)).toContain('2 tests failed in quarantine: t#b, t#d.');
  const counted = await start(server, judgedRun(await executionsFile(), { quarantine: false }));
  expect(await ended(server, counted)).toBe('FAILED');
});
