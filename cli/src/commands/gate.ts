/** `tutti gate`: whether the test results of a run are good enough, as an exit code (clients facts 3.6). */
import type { GateReport, GateRuleResult, JsonRecord, TakenOverJobs } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { readNamedBytes } from '../named-file.ts';
import { printDocument, printYaml } from '../output-format.ts';
import { UsageError } from '../problem.ts';
import { complainOf } from '../report-warnings.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { valuesAt } from '../resources/value-path.ts';
import { workflowRef } from '../resources/workflow-ref.ts';
import { cleanLine } from '../run-view/style.ts';
import { asArgument } from '../shell-argument.ts';
import { renderTable } from '../table.ts';
import { announceVerdict } from '../verdict/announce-verdict.ts';
import { placeFor } from '../verdict/gitlab-place.ts';
import type { GitlabParameters } from '../verdict/plugin-option.ts';

export interface GateOptions extends ConnectionOptions {
  readonly gate?: string | undefined;
  /** Path of a definition that has the gate. */
  readonly definition?: string | undefined;
  /** Without what the run took over from earlier ones. */
  readonly alone?: boolean;
  /** Where the verdict is told. */
  readonly plugin?: GitlabParameters | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: string;
}

const DEFAULT_GATE = 'strict';

/** Resolves with the exit code. Without an id it is about the run that was started last. */
export async function askGate(
  workflowId: string | undefined,
  options: GateOptions,
  io: Io,
): Promise<number> {
  const { definition, gate, timeout, output } = options;
  if (definition !== undefined && gate === undefined) {
    throw new UsageError(
      '--definition needs --gate: a definition may have several gates.',
      'name the one to judge by: tutti gate ID --gate NAME --definition FILE',
    );
  }
  const gitlab = placeFor(options.plugin, io);
  const content = definition === undefined ? undefined : new Blob([readNamedBytes(definition)]);
  const client = await connect(options, io);
  const otherwise = workflowId === undefined ? undefined : byName(workflowId);
  const id = await workflowRef(client, workflowId, { what: 'to judge', otherwise }, io);
  const mode = gate ?? DEFAULT_GATE;
  const takenOver = options.alone !== true;
  const query = { mode, definition: content, takenOver, waitMs: timeout };
  const report = await client.gate(id, query);
  complainOf(report.warnings, io);
  await printReport(id, mode, report, output, io);
  // Programs that read the output get nothing else there.
  const tell = (text: string) => (isTable(output) ? io.screen.write(text) : io.complain(text));
  await announceVerdict(client, { workflowId: id, mode, report }, { gitlab, tell }, io);
  return exitCodeOf(report.status);
}

const isTable = (output: string): boolean => ['table', 'wide'].includes(readOutput(output).kind);

async function printReport(
  id: string,
  mode: string,
  report: GateReport,
  format: string,
  io: Io,
): Promise<void> {
  const output = readOutput(format);
  switch (output.kind) {
    case 'json':
      printDocument(report.document, io);
      return;
    case 'yaml':
      await printYaml(report.document, io);
      return;
    case 'table':
    case 'wide':
      io.screen.write(`${gateLines(id, mode, report).join('\n')}\n`);
      return;
    case 'name':
    case 'custom-columns':
      await printItems(ruleItems(report), RULES, output, io);
  }
}

/** The rules as the document has them, each with its name. */
function ruleItems({ document, rules }: GateReport): readonly JsonRecord[] {
  return rules.map(({ name }) => {
    const [rule] = valuesAt(document, ['details', 'rules', name]);
    return { name, ...(typeof rule === 'object' && rule !== null && rule) };
  });
}

const RULES: Listing = {
  columns: [],
  idPath: 'name',
  emptyText: 'The gate has no rules.',
};

const byName = (text: string): string =>
  `to judge by the gate of that name, write: tutti gate --gate ${asArgument(text)}`;

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

/** Names that are told; more would not be read. */
const NAMED_MAX = 20;

/** What is lost is told as a warning. */
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
