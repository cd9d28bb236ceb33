/** Expressions and regular expressions of strangers, looked for in many test cases: each has its answer, in time. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, bodyOf, itemsOf } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { processorMs } from '../support/process-facts.ts';
import { ended, oneJob, start, workersEnded } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { SlowestInput } from '../support/slowest-input.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

/** A search that branches without end takes longer than the machine lives. */
const ANSWER_WITHIN_MS = 20_000;
const CASES = 200;
/** The same requests each time, so that a failure can be looked at. FUZZ_SEED and FUZZ_RUNS search elsewhere and longer. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_131);
const runs = (count: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: count * Number(process.env.FUZZ_RUNS ?? 1),
});

const slowest = new SlowestInput(SEED);
let bench: Workbench;
let server: ServerChild;
let workflowId: string;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
  const cases = Array.from({ length: CASES }, (_, index) => ({
    name: `${'a'.repeat(60)}${index}`,
    seconds: 0,
  }));
  workflowId = await start(server, oneJob('cases', [reportStep(cases)]));
  await ended(server, workflowId);
  await workersEnded(server, workflowId);
});

afterAll(async () => {
  slowest.report();
  await bench.close();
});

afterEach(() => {
  expect(server.child.isRunning).toBe(true);
  expect(server.child.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
});

const quoted = (pattern: string): string => `'${pattern.replaceAll("'", "''")}'`;

function ask(scope: string, kind = 'testcases'): Promise<Answer> {
  const query = `scope=${encodeURIComponent(scope.toWellFormed())}`;
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return slowest.measureOther(
    `${kind} ${scope}`,
    () => processorMs(server.child.pid),
    () => server.call('GET', `/workflows/${workflowId}/datasources/${kind}`, { query, signal }),
  );
}

test('the test cases are there, and a pattern chooses among them', async () => {
  expect(itemsOf(await ask("test.testCaseName ~= 'a+7$'"))).toHaveLength(1);
  const judged = await judge("test.testCaseName ~= 'a+7$'");
  expect(bodyOf(judged)).toMatchObject({ code: 200, details: { status: 'SUCCESS' } });
});

test.each([
  '(a+)+$',
  '(a|a)*$',
  '(a|aa)+!',
  '(.*)*!',
  '(.*a){30}!',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(a?){60}a{60}',
  '((a*)*)*!',
  '(?=a+)+!',
  '(a+)\\1+!',
  'a{1,99999}{1,99999}',
  '((((((((((a*)*)*)*)*)*)*)*)*)*)*!',
  `${'('.repeat(60)}${'a'.repeat(60)}`,
  '[',
  '\\',
  '(?<!a)b',
  '\\p{L}+!',
])('the pattern %s has its answer', async (pattern) => {
  for (const kind of ['testcases', 'jobs', 'tags']) {
    const answer = await ask(`test.testCaseName ~= ${quoted(pattern)}`, kind);
    expectStatus(answer);
    expect([200, 422]).toContain(answer.code);
    if (answer.code === 422) expect(bodyOf(answer).message).toMatch(/^\[SCOPE ERROR\]/);
  }
});

const piece = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '*',
    '+',
    '?',
    '|',
    '(',
    ')',
    '[',
    ']',
    '^',
    '$',
    '{2}',
    '{1,}',
    '{0,9}',
    '\\d',
  ],
  ...['\\b', '\\', '(?:', '(?=', '(?!', '[^a]', '[a-', 'aa', "'", '\\1', '\\u{61}', '(?i)'],
);
const pattern = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

test('any pattern has its answer, in a scope and in the rule of a quality gate', async () => {
  await fc.assert(
    fc.asyncProperty(pattern, fc.constantFrom('~=', '!~=', '=='), async (text, operator) => {
      const scope = `test.testCaseName ${operator} ${quoted(text)}`;
      const answer = await ask(scope);
      expectStatus(answer);
      expect(answer.code, answer.text).toBeLessThan(500);
      const judged = await judge(scope);
      expectStatus(judged);
      expect(judged.code, judged.text).toBeLessThan(500);
    }),
    runs(100),
  );
});

function judge(scope: string): Promise<Answer> {
  const rules = [{ rule: { scope, threshold: '100%' } }];
  return server.call('POST', `/workflows/${workflowId}/qualitygate`, {
    query: 'mode=mine',
    body: { qualitygates: [{ name: 'mine', rules }] },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
}
