/** One test case in full: its facts, its place, all of its message, and its executions before. */
import type { JsonRecord } from '@tutti/client';
import { failureOf, placeOf } from '../run-view/failed-tests.ts';
import { durationText } from '../run-view/test-report.ts';
import { cleanLine, cleanOutput, type Paint } from '../terminal/style.ts';
import { renderTable } from '../terminal/table.ts';
import { type PastExecution, readTestCase, type ShownTestCase } from './shown-test-case.ts';
import type { TestCaseFormat } from './test-case-format.ts';

const TITLE_WIDTH = 'Technology:  '.length;

export function createDetailFormat(paint: Paint): TestCaseFormat {
  let separator = '';
  return {
    begin: () => '',
    items: (items) =>
      items
        .map((item) => {
          const text = `${separator}${linesOf(item, paint).join('\n')}\n`;
          separator = '\n';
          return text;
        })
        .join(''),
    end: () => '',
  };
}

function linesOf(item: JsonRecord, paint: Paint): readonly string[] {
  const shown = readTestCase(item);
  const { message = '', text = '', type = '' } = failureOf(shown.execution);
  return [
    paint('bold', cleanLine(shown.metadata.name)),
    ...factLines(shown),
    ...section('Message', message === '' ? type : message, paint),
    // Some tools repeat the message as the text.
    ...section('Report', text === message ? '' : text, paint),
    ...historyLines(shown.pastExecutions, paint),
  ];
}

function factLines({ metadata, test, execution }: ShownTestCase): readonly string[] {
  const { startTime } = execution;
  const facts: readonly (readonly [string, string])[] = [
    ['Outcome', test.outcome],
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

function section(title: string, text: string, paint: Paint): readonly string[] {
  if (text.trim() === '') return [];
  const lines = text.split(/\r?\n/).map((line) => `  ${cleanOutput(line, false)}`.trimEnd());
  return ['', paint('bold', title), ...lines];
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
