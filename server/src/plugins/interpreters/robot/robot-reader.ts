/**
 * Reads the output.xml of Robot Framework 3 to 7. Keywords nest in tests and suites; only the `status` of a test or suite itself
 * decides its outcome. Messages of failed keywords become the text of the failure.
 */
import type { TestResultDetails } from '@tutti/manifests';
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import { BoundedText, detailsOf, joinNames, nameOf } from '../text/bounded-text.ts';
import { milliseconds, parseSeconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { caseWithPlace } from '../text/failure-place.ts';
import { NamedFiles } from '../text/named-files.ts';
import { createOpenSuites, type OpenSuites, type SuiteReasons } from '../text/suite-failures.ts';
import { type ElementHandler, xmlHandlerOf } from '../xml/element-handler.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import { XmlReader } from '../xml/xml-reader.ts';

const FORMAT = {
  roots: ['robot'],
  attributes: [
    'name',
    'status',
    'level',
    'starttime',
    'endtime',
    'elapsed',
    'html',
    'source',
    'line',
  ],
};

const STATUSES = new Map<string, FoundCase['status']>([
  ['PASS', 'SUCCESS'],
  ['FAIL', 'FAILURE'],
  ['SKIP', 'SKIPPED'],
  ['NOT RUN', 'SKIPPED'],
  ['NOT_RUN', 'SKIPPED'],
]);

/** Values of the attribute `html`: of version 4 and later, and of version 3. */
const HTML: ReadonlySet<string> = new Set(['true', 'yes']);

const NO_ATTRIBUTES: XmlAttributes = new Map();

export function createRobotReader(sink: ReportSink): FormatReader {
  return new XmlReader(FORMAT, xmlHandlerOf(new RobotHandler(sink)));
}

class RobotHandler implements ElementHandler {
  readonly #sink: ReportSink;
  readonly #suites: OpenSuites;
  /** Files of the open suites. */
  readonly #sources: (string | undefined)[] = [];
  #test: string | null = null;
  #line: string | undefined;
  /** Attributes of the last `status`, of a test or a suite. */
  #status = NO_ATTRIBUTES;
  #message = '';
  #failures = new BoundedText();
  #files = new NamedFiles();
  /** Kind of the open message. */
  #isHtml = false;
  #isError = false;

  constructor(sink: ReportSink) {
    this.#sink = sink;
    this.#suites = createOpenSuites(sink, fullName, SUITE_REASONS);
  }

  open(element: string, attributes: XmlAttributes, parent: string): boolean {
    if (element === 'suite') this.#openSuite(attributes);
    else if (element === 'test') this.#openTest(attributes);
    else if (element === 'status' && (parent === 'test' || parent === 'suite')) {
      this.#status = attributes;
      return true;
    } else if (element === 'msg') {
      const level = attributes.get('level');
      const isOfTest = this.#test !== null;
      this.#isHtml = isOfTest && HTML.has(attributes.get('html') ?? '');
      this.#isError = (level === 'ERROR' || level === 'FAIL') && (isOfTest || parent === 'errors');
      return this.#isError || this.#isHtml;
    }
    return false;
  }

  close(element: string, text: string, parent: string): void {
    if (element === 'suite') this.#closeSuite();
    else if (element === 'test') this.#closeTest();
    else if (element === 'msg' && text !== '') this.#addMessage(text, parent);
    else if (element === 'status' && parent === 'test') this.#message = text;
    else if (element === 'status' && parent === 'suite') this.#endSuite(text);
  }

  #openSuite(attributes: XmlAttributes): void {
    this.#suites.open(nameOf(attributes.get('name')));
    this.#sources.push(attributes.get('source'));
  }

  #closeSuite(): void {
    this.#suites.close();
    this.#sources.pop();
  }

  #openTest(attributes: XmlAttributes): void {
    this.#test = nameOf(attributes.get('name'));
    this.#line = attributes.get('line');
    this.#status = NO_ATTRIBUTES;
    this.#message = '';
    this.#failures = new BoundedText();
    this.#files = new NamedFiles();
  }

  #addMessage(text: string, parent: string): void {
    if (this.#isHtml) this.#files.addHtml(text);
    if (!this.#isError) return;
    if (parent === 'errors') this.#sink.generalError(text);
    else this.#failures.add(this.#failures.isEmpty ? text : `\n${text}`);
  }

  #endSuite(text: string): void {
    const isFailed = this.#status.get('status') === 'FAIL';
    if (isFailed && text !== '') this.#suites.failed(detailsOf({ message: text }));
  }

  #closeTest(): void {
    const suite = fullName(this.#suites.names());
    const name = this.#test || suite || '(unnamed)';
    const head = { suite, name, duration: durationOf(this.#status) };
    this.#test = null;
    // A test without a status was still running when the report ended.
    const status = STATUSES.get(this.#status.get('status') ?? '') ?? 'ERROR';
    const message = this.#message;
    const failures = this.#failures.value;
    const details = detailsOf({ message, text: failures === message ? '' : failures });
    const isFailed = status === 'FAILURE' || status === 'ERROR';
    const found = endedCase(head, status, isFailed ? this.#files.addTo(details) : details);
    this.#suites.found(caseWithPlace(found, this.#sources.at(-1), this.#line));
  }
}

/** Names suites like Robot Framework. */
const fullName = (names: readonly string[]): string | null => joinNames(names, '.');

/** Messages of Robot Framework in tests that failed for their suites: `Parent suite setup failed:`, `Also parent suite teardown failed:`. */
const SUITE_REASONS: SuiteReasons = {
  ofTest: ({ failureDetails, errorDetails }) =>
    reasonsIn(failureDetails ?? errorDetails, /\bparent suite (setup|teardown) failed/gi),
  ofSuite: (details) => reasonsIn(details, /\bsuite (setup|teardown) failed/gi),
};

function reasonsIn(details: TestResultDetails | undefined, pattern: RegExp): readonly string[] {
  const found = (details?.message ?? '').matchAll(pattern);
  return [...found].flatMap(([, reason]) => (reason === undefined ? [] : [reason.toLowerCase()]));
}

/** Version 7 has the elapsed time, earlier versions have start and end. */
function durationOf(status: XmlAttributes): number {
  const elapsed = status.get('elapsed');
  if (elapsed !== undefined) return parseSeconds(elapsed);
  return milliseconds(timeOf(status.get('endtime')) - timeOf(status.get('starttime')));
}

const TIME = /^(\d{4})(\d\d)(\d\d) (\d\d):(\d\d):(\d\d(?:\.\d+)?)$/;

/** Milliseconds of `20260131 12:34:56.123`; not a number for anything else. */
function timeOf(text: string | undefined): number {
  const found = TIME.exec(text ?? '');
  if (found === null) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) + second * 1000;
}
