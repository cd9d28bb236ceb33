/** From the elements of a JUnit XML report to its test cases. */
import { OrchestratorError, type TestResultDetails, type TestResultStatus } from '@tutti/manifests';
import { cutText, markedCut } from '@tutti/workflow';
import { REPORT_LIMITS } from './report-limits.ts';

/** One test case as the report has it. `suite` is null when the report names none. */
export interface JunitCase {
  readonly suite: string | null;
  readonly name: string;
  readonly status: TestResultStatus;
  /** In milliseconds. */
  readonly duration: number;
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
  /** What a suite that failed as a whole says, outside of any case; this stands for it, so that it counts. */
  readonly generalError?: string;
}

export interface CaseBuilder {
  open(element: string, attributes: Attributes): void;
  close(element: string): void;
  text(text: string): void;
  /** Whether text at this place is of interest. */
  wantsText(): boolean;
}

type Attributes = Readonly<Record<string, string>>;
type Outcome = 'failure' | 'error' | 'skipped';

interface OpenCase {
  readonly attributes: Attributes;
  readonly found: Map<Outcome, TestResultDetails>;
}

interface OpenOutcome {
  readonly kind: Outcome;
  readonly attributes: Attributes;
  text: string;
}

/** What runners say of a case that did not run in an attribute of the case itself. */
const NOT_RUN = new Set(['skipped', 'notrun', 'disabled', 'suppressed', 'ignored']);

/**
 * Modes: between cases; inside a `testcase`; inside its `failure`, `error` or `skipped`, where text is collected. Reruns
 * (`rerunFailure`, `flakyError`...) are other elements and change nothing: the case has its final outcome without them.
 */
export function createCaseBuilder(emit: (found: JunitCase) => void): CaseBuilder {
  const suites: string[] = [];
  let current: OpenCase | null = null;
  let outcome: OpenOutcome | null = null;
  let count = 0;

  const give = (found: JunitCase): void => {
    count += 1;
    if (count > REPORT_LIMITS.resultsMax) throw tooMany();
    emit(found);
  };
  const closeOutcome = (ended: OpenOutcome): void => {
    const details = detailsOf(ended);
    if (current === null) give(caseOfSuite(suites, ended.kind, details));
    else if (!current.found.has(ended.kind)) current.found.set(ended.kind, details);
  };

  return {
    open(element, attributes) {
      if (element === 'testsuite') suites.push(nameOf(attributes.name));
      else if (element === 'testcase') current = { attributes, found: new Map() };
      else if (outcome === null && isOutcome(element)) {
        outcome = { kind: element, attributes, text: '' };
      }
    },
    close(element) {
      if (element === 'testsuite') suites.pop();
      else if (element === 'testcase' && current !== null) {
        give(caseOf(suites, current));
        current = null;
      } else if (element === outcome?.kind) {
        closeOutcome(outcome);
        outcome = null;
      }
    },
    text(text) {
      if (outcome === null) return;
      const room = REPORT_LIMITS.textLengthMax + 1 - outcome.text.length;
      const more = outcome.text === '' ? text.trimStart() : text;
      if (room > 0) outcome.text += more.slice(0, room);
    },
    wantsText: () => outcome !== null && outcome.text.length <= REPORT_LIMITS.textLengthMax,
  };
}

function isOutcome(element: string): element is Outcome {
  return element === 'failure' || element === 'error' || element === 'skipped';
}

function caseOf(suites: readonly string[], ended: OpenCase): JunitCase {
  const { attributes, found } = ended;
  const suite = suiteOf(suites, attributes);
  return {
    suite,
    name: nameOf(attributes.name) || suite || '(unnamed)',
    duration: parseDuration(attributes.time),
    ...outcomeOf(ended, found),
  };
}

function outcomeOf(
  { attributes }: OpenCase,
  found: ReadonlyMap<Outcome, TestResultDetails>,
): Pick<JunitCase, 'status' | 'failureDetails' | 'errorDetails'> {
  // First: a case that is marked as skipped did not count for its runner, whatever it did (a `todo` of node:test).
  if (found.has('skipped')) return { status: 'SKIPPED' };
  const errorDetails = found.get('error');
  const failureDetails = found.get('failure');
  const details = {
    ...(failureDetails === undefined ? {} : { failureDetails }),
    ...(errorDetails === undefined ? {} : { errorDetails }),
  };
  if (errorDetails !== undefined) return { status: 'ERROR', ...details };
  if (failureDetails !== undefined) return { status: 'FAILURE', ...details };
  const said = attributes.status ?? attributes.result ?? '';
  return { status: NOT_RUN.has(said.toLowerCase()) ? 'SKIPPED' : 'SUCCESS' };
}

/**
 * An error outside of any case, in the set-up of a suite for instance, is reported under the name of the suite: without a result of
 * its own, a quality gate would pass what never ran.
 */
function caseOfSuite(
  suites: readonly string[],
  kind: Outcome,
  details: TestResultDetails,
): JunitCase {
  const suite = joinSuites(suites);
  const head = { suite, name: suite ?? '(suite)', duration: 0 };
  if (kind === 'skipped') return { ...head, status: 'SKIPPED' };
  const what = details.message ?? details.text ?? details.type ?? kind;
  const generalError = cutText(`${head.name}: ${what}`, REPORT_LIMITS.messageLengthMax);
  return kind === 'failure'
    ? { ...head, generalError, status: 'FAILURE', failureDetails: details }
    : { ...head, generalError, status: 'ERROR', errorDetails: details };
}

/**
 * The class name, which tells modules of one report apart where the enclosing suite has one name for all of them (pytest).
 * node:test has `test` for a class name where it knows nothing better; a case of it without a suite has its file.
 */
function suiteOf(suites: readonly string[], attributes: Attributes): string | null {
  const className = nameOf(attributes.classname);
  if (className !== '' && className !== 'test') return className;
  return joinSuites(suites) ?? fileOf(attributes) ?? (className || null);
}

/** Only the name: directories of a report are those of one run's workspace, but suites are compared between runs. */
function fileOf(attributes: Attributes): string | null {
  return nameOf(attributes.file).split(/[\\/]/).at(-1) || null;
}

function joinSuites(suites: readonly string[]): string | null {
  return (
    cutText(suites.filter((name) => name !== '').join(' > '), REPORT_LIMITS.nameLengthMax) || null
  );
}

function detailsOf({ attributes, text }: OpenOutcome): TestResultDetails {
  const message = attributes.message;
  const type = attributes.type;
  const isWhole = text.length <= REPORT_LIMITS.textLengthMax;
  // Where the rest was never taken, the text ends with the mark of a cut whatever it ends with.
  const body = isWhole ? text.trim() : markedCut(text, REPORT_LIMITS.textLengthMax);
  return {
    ...(message ? { message: cutText(message, REPORT_LIMITS.messageLengthMax) } : {}),
    ...(type ? { type: cutText(type, REPORT_LIMITS.nameLengthMax) } : {}),
    ...(body ? { text: body } : {}),
  };
}

/** Control characters (line breaks of parameters, mostly) would break lists and log lines that show the name. */
function nameOf(text: string | undefined): string {
  return cutText((text ?? '').replace(/\s+/g, ' ').trim(), REPORT_LIMITS.nameLengthMax);
}

const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * Milliseconds of a `time` attribute, which is in seconds. Some writers group thousands (`1,234.5`), some have a decimal
 * comma (`0,005`); what is no time at all is 0.
 */
export function parseDuration(text: string | undefined): number {
  const trimmed = (text ?? '').trim();
  const isGrouped = THOUSANDS.test(trimmed) && !trimmed.startsWith('0');
  const seconds = Number(isGrouped ? trimmed.replaceAll(',', '') : trimmed.replace(',', '.'));
  if (!Number.isFinite(seconds) || seconds < 0) return 0;
  return Math.round(seconds * 1_000_000) / 1000;
}

function tooMany(): OrchestratorError {
  return new OrchestratorError('Invalid', `more than ${REPORT_LIMITS.resultsMax} test cases`);
}
