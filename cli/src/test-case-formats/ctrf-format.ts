/**
 * Writes test cases in the Common Test Report Format. The summary follows the test cases: JSON objects have no order. An error
 * becomes `failed`, since readers do not count `other` as a failure; `rawStatus` distinguishes them.
 */
import {
  type Outcome,
  readTestCase,
  type ShownExecution,
  type ShownTestCase,
} from './shown-test-case.ts';
import type { FormatContext, TestCaseFormat } from './test-case-format.ts';

const SPEC_VERSION = '0.0.0';

const STATUSES = {
  success: 'passed',
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
} as const satisfies Record<Outcome, string>;

export function createCtrfFormat({ version }: FormatContext): TestCaseFormat {
  const counts = { tests: 0, passed: 0, failed: 0, skipped: 0, pending: 0, other: 0 };
  let start = Number.POSITIVE_INFINITY;
  let stop = 0;
  return {
    begin({ warnings }) {
      const head = { reportFormat: 'CTRF', specVersion: SPEC_VERSION, generatedBy: 'tutti' };
      const tool = JSON.stringify({ name: 'tutti', version });
      const extra = warnings.length === 0 ? '' : `"extra":${JSON.stringify({ warnings })},`;
      return `${JSON.stringify(head).slice(0, -1)},"results":{"tool":${tool},${extra}"tests":[`;
    },
    items: (items) =>
      items
        .map((item) => {
          const test = testOf(readTestCase(item));
          const separator = counts.tests === 0 ? '\n' : ',\n';
          counts.tests += 1;
          counts[test.status] += 1;
          start = Math.min(start, test.start ?? start);
          stop = Math.max(stop, test.stop ?? stop);
          return `${separator}${JSON.stringify(test)}`;
        })
        .join(''),
    end() {
      const times = { start: Number.isFinite(start) ? start : 0, stop };
      return `\n],"summary":${JSON.stringify({ ...counts, ...times })}}}\n`;
    },
  };
}

function testOf({ metadata, test, execution, executionHistory }: ShownTestCase) {
  const status = STATUSES[test.outcome];
  const [start, stop] = [execution.startTime, execution.endTime].map(epochMs);
  return {
    // The format allows no test cases without a name.
    name: test.testCaseName || '(no name)',
    status,
    duration: Math.round(execution.duration),
    ...(start === undefined ? {} : { start }),
    ...(stop === undefined ? {} : { stop }),
    ...(test.suiteName === '' ? {} : { suite: [test.suiteName] }),
    ...textsOf(execution),
    rawStatus: test.outcome,
    ...(executionHistory.length === 0 ? {} : repeated(status, executionHistory)),
    extra: {
      id: metadata.id,
      job: test.job,
      technology: test.technology,
      'runs-on': test['runs-on'],
      ...(test.test === '' ? {} : { test: test.test }),
      ...(test.quarantined === true ? { quarantined: true } : {}),
    },
  };
}

/** Servers send times without a zone, in UTC. Undefined for other texts. */
function epochMs(text: string): number | undefined {
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text);
  const ms = Date.parse(hasZone ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function textsOf({ failureDetails, errorDetails }: ShownExecution) {
  const { message, text } = errorDetails ?? failureDetails ?? {};
  return {
    ...(message === undefined ? {} : { message }),
    ...(text === undefined ? {} : { trace: text }),
  };
}

function repeated(status: string, history: readonly ShownExecution[]) {
  const retryAttempts = history.map((one, index) => ({
    attempt: index + 1,
    status: STATUSES[one.outcome],
    duration: Math.round(one.duration),
    ...textsOf(one),
  }));
  const hasFailed = retryAttempts.some((one) => one.status === 'failed');
  return { retries: history.length, retryAttempts, flaky: status === 'passed' && hasFailed };
}
