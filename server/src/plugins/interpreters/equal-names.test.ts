/** Two tests of one name in one report, the first of them failed. No reader takes it for an attempt unless the report says so. */
import type { ReportFormat } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { loadReader } from './formats.ts';
import { readText } from './testing/read-text.ts';

const TESTS = ['not ok 1 - adds', 'ok 2 - adds'];
const go = (action: string) =>
  JSON.stringify({ Action: action, Package: 'cart', Test: 'TestAdds' });
const scenario = (status: string) => ({
  type: 'scenario',
  keyword: 'Scenario',
  name: 'adds',
  steps: [{ name: 'it adds', result: { status } }],
});

const REPORTS: Readonly<Record<ReportFormat, string>> = {
  surefire:
    '<testsuite name="cart"><testcase name="adds"><failure/></testcase><testcase name="adds"/></testsuite>',
  robot:
    '<robot><suite name="cart"><test name="adds"><status status="FAIL"/></test><test name="adds"><status status="PASS"/></test></suite></robot>',
  cucumber: JSON.stringify([{ name: 'cart', elements: [scenario('failed'), scenario('passed')] }]),
  trx: '<TestRun><Results><UnitTestResult testName="cart.adds" outcome="Failed"/><UnitTestResult testName="cart.adds" outcome="Passed"/></Results></TestRun>',
  nunit:
    '<test-run><test-case fullname="cart.adds" result="Failed"/><test-case fullname="cart.adds" result="Passed"/></test-run>',
  xunit:
    '<assemblies><assembly name="shop"><test type="cart" method="adds" name="cart.adds" result="Fail"/><test type="cart" method="adds" name="cart.adds" result="Pass"/></assembly></assemblies>',
  tap: [
    '# Subtest: cart',
    ...TESTS.map((line) => `    ${line}`),
    '    1..2',
    'not ok 1 - cart',
    '1..1',
  ].join('\n'),
  ctrf: JSON.stringify({
    results: {
      tests: [
        { name: 'adds', suite: ['cart'], status: 'failed', duration: 1 },
        { name: 'adds', suite: ['cart'], status: 'passed', duration: 1 },
      ],
    },
  }),
  gotest: [go('run'), go('fail'), go('run'), go('pass')].join('\n'),
};

test.each(Object.entries(REPORTS) as [ReportFormat, string][])('%s', async (format, text) => {
  const { cases, error } = await readText(await loadReader(format), text);
  expect(error).toBeNull();
  const [first, second, ...more] = cases;
  expect([first?.status, second?.status, more]).toEqual(['FAILURE', 'SUCCESS', []]);
  expect([second?.suite, second?.name]).toEqual([first?.suite, first?.name]);
  expect(cases.some(({ isAttempt }) => isAttempt)).toBe(false);
});
