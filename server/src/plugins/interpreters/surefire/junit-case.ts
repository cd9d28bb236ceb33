/** Turns one test case of a JUnit XML report into its executions. */
import type { TestResultDetails } from '@tutti/manifests';
import { cutText } from '@tutti/workflow';
import type { FoundCase } from '../format-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';
import { joinDetails, joinNames, nameOf } from '../text/bounded-text.ts';
import { parseSeconds } from '../text/duration.ts';
import { withPlace } from '../text/failure-place.ts';
import type { FileNames } from '../text/file-names.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';

/**
 * Elements with the outcome of an execution. `rerunFailure` and `rerunError` are later executions that failed, too.
 * `flakyFailure` and `flakyError` are earlier ones of a case that passed in the end.
 */
const END_KINDS = [
  'failure',
  'error',
  'skipped',
  'warning',
  'rerunFailure',
  'rerunError',
  'flakyFailure',
  'flakyError',
] as const;

type EndKind = (typeof END_KINDS)[number];

export interface JunitEnd {
  readonly kind: EndKind;
  readonly details: TestResultDetails;
  /** The text in the report. */
  readonly time: string | undefined;
}

/** A test case and its elements, in order. */
export interface JunitCase {
  readonly attributes: XmlAttributes;
  readonly ends: JunitEnd[];
}

/** Attributes in which runners give the status of a case. */
const SAID = new Map<string, 'SKIPPED' | 'FAILURE' | 'ERROR'>([
  ...['skipped', 'notrun', 'disabled', 'suppressed', 'ignored'].map(
    (said) => [said, 'SKIPPED'] as const,
  ),
  ...['fail', 'failed', 'failure'].map((said) => [said, 'FAILURE'] as const),
  ['error', 'ERROR'],
]);

const KINDS: ReadonlySet<string> = new Set(END_KINDS);

export function isEndKind(element: string): element is EndKind {
  return KINDS.has(element);
}

/** The executions of a case, the deciding one last. */
export function casesOf(
  suites: readonly JunitSuite[],
  ended: JunitCase,
  files: FileNames,
): readonly FoundCase[] {
  const { attributes, ends } = ended;
  const suite = suiteOf(suites, attributes, files);
  const file = attributes.get('file');
  const head = {
    ...{ suite, name: nameOf(attributes.get('name')) || suite || '(unnamed)' },
    ...(file === undefined ? {} : { file: nameOf(file) }),
  };
  const duration = parseSeconds(attributes.get('time'));
  if (ends.length === 0) return [{ ...head, status: statusSaid(attributes), duration }];
  const own = { ...head, duration, ...outcomeOf(placed(ends, attributes), attributes) };
  const flaky = ends.filter(({ kind }) => kind.startsWith('flaky'));
  const reruns = ends.filter(({ kind }) => kind.startsWith('rerun'));
  const executions = [
    ...flaky.map((end) => ({ ...head, ...repeated(end) })),
    own,
    ...reruns.map((end) => ({ ...head, ...repeated(end) })),
  ];
  return executions.map((one, index) =>
    index === executions.length - 1 ? one : { ...one, isAttempt: true },
  );
}

function placed(ends: readonly JunitEnd[], attributes: XmlAttributes): readonly JunitEnd[] {
  const [file, line] = [attributes.get('file'), attributes.get('line')];
  return ends.map((end) =>
    PLACED.has(end.kind) ? { ...end, details: withPlace(end.details, file, line) } : end,
  );
}

const PLACED: ReadonlySet<EndKind> = new Set(['failure', 'error']);

function repeated({ kind, details, time }: JunitEnd): Omit<FoundCase, 'suite' | 'name' | 'file'> {
  const duration = parseSeconds(time);
  return kind.endsWith('Error')
    ? { status: 'ERROR', duration, errorDetails: details }
    : { status: 'FAILURE', duration, failureDetails: details };
}

type Outcome = Pick<FoundCase, 'status' | 'failureDetails' | 'errorDetails' | 'warningDetails'>;

function outcomeOf(ends: readonly JunitEnd[], attributes: XmlAttributes): Outcome {
  // Skipped comes first: such a case did not count for its runner, whatever it did (a `todo` of node:test).
  const skipped = detailsAmong(ends, 'skipped');
  if (skipped !== null) return { status: 'SKIPPED', ...labelled('warningDetails', skipped) };
  const error = detailsAmong(ends, 'error');
  const failure = detailsAmong(ends, 'failure');
  const details = {
    ...(failure === null ? {} : { failureDetails: failure }),
    ...(error === null ? {} : { errorDetails: error }),
  };
  if (error !== null) return { status: 'ERROR', ...details };
  if (failure !== null) return { status: 'FAILURE', ...details };
  const warning = detailsAmong(ends, 'warning');
  return { status: statusSaid(attributes), ...labelled('warningDetails', warning) };
}

function labelled<Label extends string>(
  label: Label,
  details: TestResultDetails | null,
): { readonly [Key in Label]?: TestResultDetails } {
  const isEmpty = details === null || Object.keys(details).length === 0;
  return isEmpty ? {} : ({ [label]: details } as { readonly [Key in Label]: TestResultDetails });
}

/** Several failures of one case are reported as one. */
function detailsAmong(ends: readonly JunitEnd[], kind: EndKind): TestResultDetails | null {
  const found = ends.filter((end) => end.kind === kind).map(({ details }) => details);
  const [first, ...more] = found;
  return first === undefined ? null : more.reduce(joinDetails, first);
}

function statusSaid(attributes: XmlAttributes): FoundCase['status'] {
  const said = attributes.get('status') ?? attributes.get('result');
  const known = said === undefined ? undefined : SAID.get(said.toLowerCase());
  // GoogleTest says in `status` whether it ran, and in `result` whether that was all.
  return known ?? SAID.get((attributes.get('result') ?? '').toLowerCase()) ?? 'SUCCESS';
}

/**
 * An error outside of any case, for instance in the setup of a suite, is reported under the suite's name. Without a result of its
 * own, a quality gate would pass the failure.
 */
export function suiteFailure(
  suites: readonly JunitSuite[],
  { kind, details }: JunitEnd,
): { readonly found: FoundCase; readonly generalError: string | null } {
  const suite = joinNames(namesOf(suites));
  const head = { suite, name: suite ?? '(suite)', duration: 0 };
  if (kind === 'skipped') return { found: { ...head, status: 'SKIPPED' }, generalError: null };
  if (kind === 'warning') {
    return { found: { ...head, status: 'SUCCESS', warningDetails: details }, generalError: null };
  }
  const what = details.message ?? details.text ?? details.type ?? kind;
  const generalError = cutText(`${head.name}: ${what}`, REPORT_LIMITS.messageLengthMax);
  const found: FoundCase = kind.toLowerCase().endsWith('error')
    ? { ...head, status: 'ERROR', errorDetails: details }
    : { ...head, status: 'FAILURE', failureDetails: details };
  return { found, generalError };
}

/** A suite that a case is in. */
export interface JunitSuite {
  readonly name: string;
  readonly file: string | undefined;
  /** The class of its cases, which is not to be shown without the project they ran for. Null for any other suite. */
  readonly classOfProject: string | null;
}

/**
 * Playwright runs tests once per project, such as a browser. It names the project where other tools name the machine. Only its
 * reports have an id.
 */
export function junitSuite(attributes: XmlAttributes, isOfProjects: boolean): JunitSuite {
  const name = nameOf(attributes.get('name'));
  const file = attributes.get('file');
  const project = isOfProjects ? nameOf(attributes.get('hostname')) : '';
  if (project === '') return { name, file, classOfProject: null };
  return { name: joinNames([project, name]) ?? project, file, classOfProject: name };
}

const namesOf = (suites: readonly JunitSuite[]): readonly string[] =>
  suites.map(({ name }) => name);

/**
 * The class name, which distinguishes modules of one report when the suite has one name for all (pytest). The class `test` of
 * node:test means unknown; a case without a suite takes its file.
 */
function suiteOf(
  suites: readonly JunitSuite[],
  attributes: XmlAttributes,
  files: FileNames,
): string | null {
  const className = nameOf(attributes.get('classname') ?? attributes.get('class'));
  const file = fileOutsideOfSuites(suites, attributes);
  if (file !== undefined) return files.nameOf(file);
  if (className !== '' && className === suites.at(-1)?.classOfProject)
    return joinNames(namesOf(suites));
  if (className !== '' && className !== 'test') return className;
  return joinNames(namesOf(suites)) ?? files.nameOf(attributes.get('file')) ?? (className || null);
}

const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:)/;

/**
 * The file of a Mocha or Cypress case outside of suites. Mocha itself gives no class, and one suite for all files. Its other
 * writer repeats the name as the class, and gives the file with the suite.
 */
function fileOutsideOfSuites(
  suites: readonly JunitSuite[],
  attributes: XmlAttributes,
): string | undefined {
  const className = attributes.get('classname');
  const file = attributes.get('file');
  if (className === '' && file !== undefined && ABSOLUTE.test(file)) return file;
  return className !== undefined && className === attributes.get('name')
    ? suites.at(-1)?.file || undefined
    : undefined;
}
