/** The answer of a quality gate as lines and as an exit code. */
import type { GateReport, GateRuleResult, TakenOverJobs } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import { renderTable } from '../terminal/table.ts';

export function exitCodeOf(status: GateReport['status']): number {
  switch (status) {
    case 'SUCCESS':
    case 'NOTEST':
      return EXIT_CODES.done;
    case 'FAILURE':
      return EXIT_CODES.gateFailed;
    case 'RUNNING':
    case null:
      return EXIT_CODES.undecided;
  }
}

const VERDICTS = {
  SUCCESS: 'SUCCESS, the run succeeded and its test results pass',
  NOTEST: 'NOTEST, the run succeeded and has no test results that a rule looks at',
  FAILURE: 'FAILURE, the run failed or its test results do not pass',
  RUNNING: 'RUNNING, the run is not over',
} as const satisfies Record<NonNullable<GateReport['status']>, string>;

/** The rules as a table, why scopes are wrong, and the verdict. */
export function gateLines(
  workflowId: string,
  mode: string,
  { status, rules, takenOver }: GateReport,
): readonly string[] {
  const verdict =
    status === null ? 'undecided, the test results are not all there yet' : VERDICTS[status];
  const problems = rules
    .filter(({ message }) => message !== '')
    .map(({ name, message }) => cleanLine(`${name}: ${message}`));
  const about = `Quality gate "${cleanLine(mode)}" of workflow ${workflowId}: ${verdict}.`;
  const table = rules.length === 0 ? [] : [...ruleTable(rules), ''];
  return [...table, ...problems, ...takenOver.flatMap(takenLine), about];
}

/** Limit of listed names. */
const NAMED_MAX = 20;

/** A warning reports lost results. */
function takenLine({ workflowId, jobs, isLost }: TakenOverJobs): readonly string[] {
  if (isLost) return [];
  const named = jobs.slice(0, NAMED_MAX).map((job) => `"${cleanLine(job)}"`);
  const more = jobs.length > NAMED_MAX ? ` and ${jobs.length - NAMED_MAX} more` : '';
  const what = `${jobs.length === 1 ? 'the job' : 'the jobs'} ${named.join(', ')}${more}`;
  return [`With the test results of ${what}, taken over from workflow ${workflowId}.`];
}

const TITLES = [
  'RULE',
  'RESULT',
  'TESTS_IN_SCOPE',
  'TESTS_FAILED',
  'TESTS_PASSED',
  'SUCCESS_RATIO',
  'THRESHOLD',
  'SCOPE',
];

function ruleTable(rules: readonly GateRuleResult[]): readonly string[] {
  const rows = rules.map((rule) =>
    [
      rule.name,
      rule.result,
      rule.testsInScope,
      rule.testsFailed,
      rule.testsPassed,
      rule.successRatio,
      rule.threshold,
      rule.scope,
    ].map(cleanLine),
  );
  return renderTable(TITLES, rows);
}
