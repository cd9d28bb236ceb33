/** One test case in full: its facts, its place, all of its message, and its executions before. */
import type { JsonRecord } from '@tutti/client';
import { cleanLine, cleanOutput } from '@tutti/run-view/text';
import { percentOf } from '../known-tests/shown-numbers.ts';
import { failureOf, placeOf } from '../run-view/failed-tests.ts';
import { durationText } from '../run-view/test-report.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import type { Paint } from '../terminal/style.ts';
import { renderTable } from '../terminal/table.ts';
import {
  type PastExecution,
  readTestCase,
  type ShownHistory,
  type ShownTestCase,
} from './shown-test-case.ts';
import type { FormatContext, TestCaseFormat } from './test-case-format.ts';

const TITLE_WIDTH = 'Technology:  '.length;

export function createDetailFormat(context: FormatContext): TestCaseFormat {
  let separator = '';
  return {
    begin: () => '',
    items: (items) =>
      items
        .map((item) => {
          const text = `${separator}${linesOf(item, context).join('\n')}\n`;
          separator = '\n';
          return text;
        })
        .join(''),
    end: () => '',
  };
}

function linesOf(item: JsonRecord, context: FormatContext): readonly string[] {
  const { paint } = context;
  const shown = readTestCase(item);
  const { message = '', text = '', type = '' } = failureOf(shown.execution);
  return [
    paint('bold', cleanLine(shown.metadata.name)),
    ...factLines(shown),
    ...section('Message', message === '' ? type : message, paint),
    // Some tools repeat the message as the text.
    ...section('Report', text === message ? '' : text, paint),
    ...evidenceLines(shown, context),
    ...historyLines(shown.pastExecutions, paint),
  ];
}

function factLines(shown: ShownTestCase): readonly string[] {
  const { metadata, test, history, execution, isFlaked } = shown;
  const { startTime } = execution;
  const facts: readonly (readonly [string, string])[] = [
    ['Outcome', isFlaked ? 'flaked: it failed, then passed' : test.outcome],
    ['History', history === null ? '' : historyText(history)],
    ['Quarantine', test.quarantined === true ? 'yes: gates leave its failures out' : ''],
    ['Place', placeOf(failureOf(execution)).join('')],
    ['Job', [test.job, ...test['runs-on']].filter((part) => part !== '').join(', ')],
    ['Technology', test.technology],
    ['Function', test.uses],
    ['Reference', test.test],
    ['Duration', durationText(execution.duration)],
    ['Step began', secondOf(startTime)],
    ['Id', metadata.id],
  ];
  return facts
    .filter(([, value]) => value !== '')
    .map(([title, value]) => `  ${`${title}:`.padEnd(TITLE_WIDTH)}${cleanLine(value)}`);
}

function historyText({ state, flakeRate, failures, executions, isNewFailure }: ShownHistory) {
  if (executions === 0) return 'new';
  const failed = `${failures} of ${executions} executions failed`;
  const begin = isNewFailure ? '; it did not fail in the run before' : '';
  return `${state}, ${failed}, flake rate ${percentOf(flakeRate)}${begin}`;
}

function section(title: string, text: string, paint: Paint): readonly string[] {
  if (text.trim() === '') return [];
  const lines = text.split(/\r?\n/).map((line) => `  ${cleanOutput(line, false)}`.trimEnd());
  return ['', paint('bold', title), ...lines];
}

/** Files of one report; more are on its own page. */
const EVIDENCE_MAX = 50;

function evidenceLines(
  { test, execution, executionHistory }: ShownTestCase,
  { workflowId, evidence, command, paint }: FormatContext,
): readonly string[] {
  const text = [execution, ...executionHistory]
    .map(failureOf)
    .flatMap(({ message = '', text: all = '' }) => [message, all])
    .join('\n');
  const about = { job: test.job, suite: test.suiteName, name: test.testCaseName, text };
  const lines = (evidence?.(about) ?? []).flatMap(({ choice, files }) =>
    files
      .filter((file) => cleanLine(file) === file)
      .slice(0, EVIDENCE_MAX)
      .map((file) => `  ${command} report open ${workflowId} ${asArgument(file)}${choice}`),
  );
  return lines.length === 0 ? [] : ['', paint('bold', 'Evidence'), ...lines];
}

/** Newest first, as the list of runs. */
function historyLines(past: readonly PastExecution[], paint: Paint): readonly string[] {
  if (past.length === 0) return [];
  const rows = past.toReversed().map(({ outcome, duration, startTime, workflowId }) => {
    const where = workflowId === null ? 'this run' : workflowId;
    return [outcome, durationText(duration), secondOf(startTime), where];
  });
  const table = renderTable(['OUTCOME', 'DURATION', 'STEP_BEGAN', 'RUN'], rows);
  return ['', paint('bold', 'Executions before'), ...table.map((line) => `  ${line}`)];
}

const secondOf = (time: string): string => time.slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
