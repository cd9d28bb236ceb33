/** The verdict about a judged step, from the results of its attempts. */
import {
  type ChannelOs,
  countOf,
  printable,
  RETRY_AT_MOST,
  type StepTests,
  type TestResult,
  type TestsResultEvent,
} from '@tutti/manifests';
import { isMassFailure, type NoRetry, retriedUnits } from '@tutti/test-history';
import { cutText } from '@tutti/workflow';
import { fileOf, isAttempt, type KnownHistory } from '@tutti/workflow/facts';
import type { ReportedTest, SelectTests } from './selection.ts';

/** A test in one attempt. Its worst result counts, as two tests may have one name. */
export interface AttemptedTest extends ReportedTest {
  readonly hasFailed: boolean;
  readonly isSkipped: boolean;
  readonly hadFailed: boolean;
  readonly isQuarantined: boolean;
}

/** The tests of one attempt, by the names of their results. */
export type Attempt = Map<string, AttemptedTest>;

export interface JudgedAttempts {
  readonly attempts: readonly Attempt[];
  /** A report of the newest attempt is broken or missing. */
  readonly isBroken: boolean;
  /** All commands of the newest attempt passed. */
  readonly hasPassed: boolean;
  readonly os: ChannelOs;
  readonly tests: StepTests;
  /** Null for a function that cannot select tests. */
  readonly select: SelectTests | null;
}

export type Judgement = Pick<
  TestsResultEvent,
  'verdict' | 'counts' | 'retried' | 'selection' | 'logs'
>;

/** Characters of a selection. It has to fit into one command, and on Windows into one line of 8191 characters. */
const SELECTION_LENGTH_MAX = { linux: 100_000, macos: 100_000, windows: 6000 } as const;
/** Characters of the names of the tests that run again: their event may have 256 KiB. */
const NAMES_LENGTH_MAX = 40_000;
/** The report has other signs than the tool, or more of them than a name may have. */
const ALTERED = /\ufffd|…[0-9a-f]{12}(?:#|$)/;
/** Tests that the log names. */
const NAMED_MAX = 10;
const NAMED_LENGTH_MAX = 200;

/** Adds a result to its attempt. Executions that the tool itself repeated do not count. */
export function addResult(
  attempt: Attempt,
  result: TestResult,
  history: KnownHistory | null,
): void {
  if (isAttempt(result)) return;
  const { name, suite = null, status } = result;
  const before = attempt.get(name);
  const file = fileOf(result);
  const hasFailed = status === 'FAILURE' || status === 'ERROR';
  attempt.set(name, {
    suite,
    name: suite !== null && name.startsWith(`${suite}#`) ? name.slice(suite.length + 1) : name,
    // Tests of one name in two files cannot be told apart.
    file: before === undefined || before.file === file ? file : null,
    hasFailed: hasFailed || before?.hasFailed === true,
    isSkipped: status === 'SKIPPED' && before?.isSkipped !== false,
    hadFailed: history?.hadFailed === true,
    isQuarantined: history?.quarantined === true,
  });
}

/** The last attempt of a test counts. One that skipped it is none. */
function latestOf(attempts: readonly Attempt[]): Attempt {
  const latest: Attempt = new Map();
  for (const attempt of attempts) {
    for (const [name, test] of attempt) {
      if (!test.isSkipped || !latest.has(name)) latest.set(name, test);
    }
  }
  return latest;
}

const namesOf = (tests: Attempt): readonly string[] =>
  [...tests].filter(([, { hasFailed }]) => hasFailed).map(([name]) => name);

/** Failures that count, and those of tests in quarantine. */
function sparing(latest: Attempt, mayBeSpared: boolean): readonly [string[], string[]] {
  const [failed, spared]: [string[], string[]] = [[], []];
  for (const name of namesOf(latest)) {
    const isSpared = mayBeSpared && latest.get(name)?.isQuarantined === true;
    (isSpared ? spared : failed).push(name);
  }
  return [failed, spared];
}

export function judge(given: JudgedAttempts): Judgement {
  const { attempts, tests } = given;
  const latest = latestOf(attempts);
  const isMass = isMassFailure(attempts[0]?.values() ?? []);
  const [failed, spared] = sparing(latest, !isMass && tests.quarantine !== false);
  const everFailed = new Set(attempts.flatMap(namesOf));
  const flaked = [...everFailed].filter((name) => latest.get(name)?.hasFailed === false);
  const counts = { failed: failed.length, spared: spared.length, flaked: flaked.length };
  const found = { given, latest, isMass, failed, counts };
  const why = whyFailed(found);
  if (why !== null) return failure(found, why);
  if (failed.length > 0) return retryOrFailure(found);
  const logs = [
    ...(spared.length === 0 ? [] : [`WARNING,${sentence('failed in quarantine', spared)}`]),
    ...(flaked.length === 0 ? [] : [`WARNING,${sentence('flaked (failed, then passed)', flaked)}`]),
  ];
  if (flaked.length === 0 || tests['fail-on-flaked'] !== true) {
    return { ...NOTHING_AGAIN, verdict: 'success', counts, logs };
  }
  const refused = 'ERROR,The step fails, since "fail-on-flaked" is set.';
  return { ...NOTHING_AGAIN, verdict: 'failure', counts, logs: [...logs, refused] };
}

interface Found {
  readonly given: JudgedAttempts;
  readonly latest: Attempt;
  readonly isMass: boolean;
  readonly failed: readonly string[];
  readonly counts: Judgement['counts'];
}

const NOTHING_AGAIN = { retried: [], selection: [] } as const;

const failure = ({ counts }: Found, why: string): Judgement => ({
  ...NOTHING_AGAIN,
  verdict: 'failure',
  counts,
  logs: [`ERROR,${why}`],
});

/** Why no retry can help, whatever failed; null otherwise. */
function whyFailed({ given, counts }: Found): string | null {
  const { attempts, isBroken, hasPassed } = given;
  const newest = attempts.at(-1);
  if (isBroken) return 'The step fails: a report of its tests is broken or missing.';
  if (attempts.length === 1 && (newest === undefined || newest.size === 0)) {
    return 'The step fails: it has no report with test results.';
  }
  // Where a further attempt could not find its tests, they are still failed.
  const isExplained = hasPassed || counts.failed + counts.spared > 0;
  return isExplained ? null : 'The step fails: no failed test explains its exit code.';
}

const REASONS: Readonly<Record<NoRetry, string>> = {
  'nothing failed': '',
  'no attempt left': '',
  'too many failures': ' Too many for a retry.',
  'mass failure': ' So many new failures point to the environment: no retry.',
};

function retryOrFailure(found: Found): Judgement {
  const { given, latest, isMass, failed } = found;
  const { attempts, tests } = given;
  const attempt = attempts.length;
  const { times = 0, 'at-most': atMost = RETRY_AT_MOST } = tests.retry ?? {};
  const again = retriedUnits(
    {
      attempt,
      isMassFailure: isMass,
      failed,
    },
    { times, atMost },
  );
  const what = `${failed.length} of ${countOf(latest.size, 'test')} failed`;
  if (typeof again === 'string') return failure(found, `${what}.${REASONS[again]}`);
  if (again.reduce((length, name) => length + name.length, 0) > NAMES_LENGTH_MAX) {
    return failure(found, `${what}.${REASONS['too many failures']}`);
  }
  const selection = selectionOf(found, again);
  const how =
    selection.length === 0
      ? 'The whole step runs again, since they cannot be selected'
      : 'They run again';
  const logs = [`WARNING,${what}. ${how}: attempt ${attempt + 1} of ${times + 1}.`];
  return { verdict: 'retry', counts: found.counts, retried: again, selection, logs };
}

/** Empty where the tool cannot run these tests alone, or did not find them when it was asked before. */
function selectionOf({ given, latest }: Found, names: readonly string[]): readonly string[] {
  const { attempts, select, os } = given;
  const newest = attempts.at(-1);
  const isLost = (name: string) => newest?.has(name) !== true || ALTERED.test(name);
  if (select === null || names.some(isLost)) return [];
  const again = new Set(names);
  const ran = [...latest].filter(([, { isSkipped }]) => !isSkipped);
  const testsWhere = (isWanted: boolean) =>
    ran.filter(([name]) => again.has(name) === isWanted).map(([, test]) => test);
  const words = select({ wanted: testsWhere(true), others: testsWhere(false), os }) ?? [];
  const length = words.reduce((sum, word) => sum + word.length + 1, 0);
  return length > SELECTION_LENGTH_MAX[os] ? [] : words;
}

function sentence(what: string, names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => cutText(printable(name), NAMED_LENGTH_MAX));
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return `${countOf(names.length, 'test')} ${what}: ${shown.join(', ')}${more}.`;
}
