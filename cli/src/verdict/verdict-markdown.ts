/** A verdict in the Markdown of GitLab and GitHub. Names of others stand in code spans, where markup has no effect. */
import type { GateRuleResult, TakenOverJobs } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import type { FailedTest, VerdictNote } from './verdict.ts';

/** Limit of rows and of sentences of each kind: a note has a size limit, and readers have patience. */
const ROWS_MAX = 100;
const SENTENCES_MAX = 20;

const VERDICTS = {
  SUCCESS: 'passed',
  NOTEST: 'no test results',
  FAILURE: 'not passed',
} as const satisfies Record<VerdictNote['status'], string>;

/** `mark` follows the title. */
export function verdictMarkdown(verdict: VerdictNote, mark = ''): string {
  const { workflowId, mode, status, report } = verdict;
  const title = `### Quality gate ${code(mode)}: ${VERDICTS[status]}${mark === '' ? '' : ` ${mark}`}`;
  const sections = [
    [title],
    ruleTable(report.rules),
    failedList(verdict),
    limited([...report.takenOver.flatMap(takenSentence), ...report.warnings.map(warning)]),
    [`Workflow ${code(workflowId)}`],
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

const TITLES = [
  'Rule',
  'Result',
  'Tests',
  'Failed',
  'Passed',
  'Success rate',
  'Threshold',
  'Scope',
];

function ruleTable(rules: readonly GateRuleResult[]): readonly string[] {
  if (rules.length === 0) return [];
  const rows = rules
    .slice(0, ROWS_MAX)
    .map((rule) => [
      cell(rule.name),
      cell(rule.result),
      ...[rule.testsInScope, rule.testsFailed, rule.testsPassed, rule.successRatio, rule.threshold],
      cell(rule.message === '' ? rule.scope : rule.message),
    ]);
  const more = rules.length > ROWS_MAX ? [`\n… and ${rules.length - ROWS_MAX} more rules`] : [];
  return [rowOf(TITLES), rowOf(TITLES.map(() => '---')), ...rows.map(rowOf), ...more];
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A bar would end the cell, also within a code span. */
const cell = (text: string): string => code(text).replaceAll('|', '\\|');

function failedList({ failed, hasMore }: VerdictNote): readonly string[] {
  if (failed.length === 0) return [];
  return ['Failed test cases:', '', ...failed.map(failedLine), ...(hasMore ? ['- …'] : [])];
}

function failedLine({ name, job, message }: FailedTest): string {
  const place = job === '' ? '' : ` of job ${code(job)}`;
  return `- ${code(name)}${place}${message === '' ? '' : `: ${code(message)}`}`;
}

/** A warning reports lost results. */
function takenSentence({ workflowId, jobs, isLost }: TakenOverJobs): readonly string[] {
  if (isLost) return [];
  const named = jobs.slice(0, SENTENCES_MAX).map(code).join(', ');
  const more = jobs.length > SENTENCES_MAX ? ` and ${jobs.length - SENTENCES_MAX} more` : '';
  return [`- With the test results of ${named}${more}, taken over from ${code(workflowId)}`];
}

const warning = (text: string): string => `- ${code(text)}`;

const limited = (lines: readonly string[]): readonly string[] =>
  lines.length > SENTENCES_MAX ? [...lines.slice(0, SENTENCES_MAX), '- …'] : lines;

/** The text between more backticks than it has in a row. */
export function code(text: string): string {
  const line = cleanLine(text);
  if (line === '') return '';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}
