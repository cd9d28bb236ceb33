/** A verdict in Markdown, in which names of others have no effect. */
import type { GateReport, GateRuleResult } from '@tutti/client';
import { expect, test } from 'vitest';
import type { VerdictNote } from './verdict.ts';
import { code, verdictMarkdown } from './verdict-markdown.ts';

const rule = (more: Partial<GateRuleResult> = {}): GateRuleResult => ({
  name: 'all',
  result: 'FAILURE',
  testsInScope: '4',
  testsFailed: '1',
  testsPassed: '3',
  successRatio: '75%',
  threshold: '95%',
  scope: "test.technology == 'junit'",
  message: '',
  ...more,
});

function verdict(more: Partial<VerdictNote> = {}, report: Partial<GateReport> = {}): VerdictNote {
  return {
    workflowId: 'id-1',
    mode: 'release',
    status: 'FAILURE',
    failed: [],
    hasMore: false,
    report: {
      status: 'FAILURE',
      rules: [rule()],
      warnings: [],
      takenOver: [],
      document: {},
      ...report,
    },
    ...more,
  };
}

test('it has the rules, the failed test cases, and remarks about them', () => {
  const failed = [
    { name: 'cart#sells', job: 'unit', message: 'expected 3, not 2', details: '' },
    { name: 'cart#buys', job: '', message: '', details: '' },
  ];
  const takenOver = [
    { workflowId: 'id-0', jobs: ['api', 'ui'], jobIds: [], isLost: false },
    { workflowId: 'id-x', jobs: ['lost'], jobIds: [], isLost: true },
  ];
  const actual = verdict(
    { failed, hasMore: true },
    { takenOver, warnings: ['Something is lost.'] },
  );
  expect(verdictMarkdown(actual)).toBe(`\
### Quality gate \`release\`: not passed

| Rule | Result | Tests | Failed | Passed | Success rate | Threshold | Scope |
| --- | --- | --- | --- | --- | --- | --- | --- |
| \`all\` | \`FAILURE\` | 4 | 1 | 3 | 75% | 95% | \`test.technology == 'junit'\` |

Failed test cases:

- \`cart#sells\` of job \`unit\`: \`expected 3, not 2\`
- \`cart#buys\`
- …

- With the test results of \`api\`, \`ui\`, taken over from \`id-0\`
- \`Something is lost.\`

Workflow \`id-1\`
`);
});

test.each([
  ['SUCCESS', 'passed'],
  ['NOTEST', 'no test results'],
  ['FAILURE', 'not passed'],
] as const)('for %s the title has "%s", and its addition', (status, text) => {
  const actual = verdict({ status }, { rules: [] });
  expect(verdictMarkdown(actual, ':cat:')).toBe(
    `### Quality gate \`release\`: ${text} :cat:\n\nWorkflow \`id-1\`\n`,
  );
});

test('a rule that could not be judged says why in place of its scope', () => {
  const rules = [rule({ result: 'INVALID_SCOPE', message: 'no such name' })];
  expect(verdictMarkdown(verdict({}, { rules }))).toContain('| `no such name` |');
});

test.each([
  ['', ''],
  ['@everyone ![x](http://x)', '`@everyone ![x](http://x)`'],
  ['<script>', '`<script>`'],
  ['a `b` c', '``a `b` c``'],
  ['`', '`` ` ``'],
  ['```x', '```` ```x ````'],
  ['one\n/close\ntwo', '`one /close two`'],
  ['\u001b[31mred', '`red`'],
])('%j means nothing: %j', (text, shown) => {
  expect(code(text)).toBe(shown);
});

test('a bar does not end a cell, and many rules and warnings are counted', () => {
  const rules = Array.from({ length: 102 }, () => rule({ scope: 'a || b' }));
  const warnings = Array.from({ length: 30 }, (_, index) => `warning ${index}`);
  const markdown = verdictMarkdown(verdict({}, { rules, warnings }));
  expect(markdown).toContain('| `a \\|\\| b` |');
  expect(markdown).toContain('\n\n… and 2 more rules\n');
  expect(markdown).toContain('- `warning 19`\n- …\n');
});
