/**
 * Reads test reports in the JUnit XML format of surefire, pytest, node:test, vitest, Robot Framework, Cucumber and others. They
 * agree on `testcase` with `failure`, `error` or `skipped`, and on little else, so all else is optional.
 */

import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import { REPORT_LIMITS } from '../report-limits.ts';
import { BoundedText, detailsOf } from '../text/bounded-text.ts';
import { FileNames } from '../text/file-names.ts';
import { NamedFiles } from '../text/named-files.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import { XmlReader } from '../xml/xml-reader.ts';
import {
  casesOf,
  isEndKind,
  type JunitCase,
  type JunitEnd,
  type JunitSuite,
  junitSuite,
  suiteFailure,
} from './junit-case.ts';
import { SuiteCounts } from './suite-counts.ts';

/** `testrun` is the root in exports of some editors. */
const FORMAT = {
  roots: ['testsuites', 'testsuite', 'testrun', 'testcase'],
  attributes: [
    'name', 'classname', 'class', 'file', 'time', 'status', 'result', 'message', 'type',
    'failures', 'errors', 'skipped', 'id', 'hostname', 'line',
  ], // biome-ignore format: one list of names
  depthMax: REPORT_LIMITS.depthMax,
};

/** Elements around all suites of a report, which may count the cases in them. */
const REPORT = new Set(['testsuites', 'testrun']);

/** Output of a test: it is used when the failure has no text, as with CTest. */
const OUTPUT = new Set(['system-out', 'system-err']);

interface OpenEnd {
  readonly kind: JunitEnd['kind'];
  readonly attributes: XmlAttributes;
  readonly text: BoundedText;
}

export function createJunitReader(sink: ReportSink): FormatReader {
  return new XmlReader(FORMAT, new JunitHandler(sink));
}

/** Places: between cases; inside a `testcase`; inside its `failure`, `error`, `skipped`..., where text is collected. */
class JunitHandler {
  readonly #sink: ReportSink;
  readonly #suites: JunitSuite[] = [];
  /** Elements around the suites; errors outside of suites go under their names. */
  readonly #reports: JunitSuite[] = [];
  readonly #counts = new SuiteCounts();
  readonly #files = new FileNames();
  #case: JunitCase | null = null;
  #end: OpenEnd | null = null;
  #output: BoundedText | null = null;
  /** Null outside of the output of a failed case. */
  #named: NamedFiles | null = null;
  /** Number of open output elements. */
  #outputs = 0;
  #isOfProjects = false;

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  open(element: string, attributes: XmlAttributes): void {
    if (element === 'testsuite') this.#openSuite(attributes);
    else if (REPORT.has(element)) this.#openReport(attributes);
    else if (element === 'property') this.#counts.property(attributes);
    else if (element === 'testcase') this.#case = { attributes, ends: [] };
    else if (OUTPUT.has(element)) this.#openOutput(element);
    else if (this.#end === null && isEndKind(element)) {
      this.#end = { kind: element, attributes, text: new BoundedText() };
    }
  }

  close(element: string): void {
    if (element === 'testsuite') this.#closeSuite();
    else if (REPORT.has(element)) this.#closeReport();
    else if (element === 'testcase') this.#closeCase();
    else if (OUTPUT.has(element)) this.#closeOutput();
    else if (element === this.#end?.kind) this.#closeEnd(this.#end);
  }

  text(text: string): void {
    if (this.#outputs > 0) {
      this.#output?.add(text);
      this.#named?.addOutput(text);
    } else this.#end?.text.add(text);
  }

  wantsText(): boolean {
    if (this.#named !== null) return true;
    const text = this.#outputs > 0 ? this.#output : this.#end?.text;
    return text?.isFull === false;
  }

  #openSuite(attributes: XmlAttributes): void {
    this.#suites.push(junitSuite(attributes, this.#isOfProjects));
    this.#counts.open('suite', attributes);
  }

  #openReport(attributes: XmlAttributes): void {
    this.#isOfProjects ||= attributes.has('id');
    const report = junitSuite(attributes, false);
    this.#reports.push({ ...report, name: report.name || '(report)' });
    this.#counts.open('report', attributes);
  }

  #closeSuite(): void {
    const end = this.#counts.close();
    if (end !== null) this.#addSuiteError(this.#suites, end);
    this.#suites.pop();
  }

  #closeReport(): void {
    const end = this.#counts.close();
    const report = this.#reports.pop();
    if (end !== null && report !== undefined) this.#addSuiteError([report], end);
  }

  #openOutput(element: string): void {
    this.#outputs += 1;
    if (this.#case === null && this.#end === null && this.#outputs === 1) {
      this.#output = element === 'system-err' ? this.#counts.output() : null;
      return;
    }
    const last = this.#case?.ends.at(-1);
    const isOfFailure = last !== undefined && last.kind !== 'skipped';
    if (this.#outputs > 1 || this.#end !== null || !isOfFailure) return;
    this.#named = new NamedFiles();
    if (last.details.text === undefined) this.#output = new BoundedText();
  }

  #closeOutput(): void {
    this.#outputs -= 1;
    if (this.#case === null) {
      if (this.#outputs === 0) this.#output = null;
      return;
    }
    const last = this.#case?.ends.pop();
    if (last === undefined) return;
    const text = this.#output?.value ?? '';
    this.#output = null;
    const details = text === '' ? last.details : { ...last.details, text };
    this.#case?.ends.push({ ...last, details: this.#named?.addTo(details) ?? details });
    this.#named = null;
  }

  #closeEnd({ kind, attributes, text }: OpenEnd): void {
    this.#end = null;
    const end: JunitEnd = {
      kind,
      time: attributes.get('time'),
      details: detailsOf({
        message: attributes.get('message'),
        type: attributes.get('type'),
        text: text.value,
      }),
    };
    this.#counts.saw(kind);
    if (this.#case !== null) {
      if (this.#case.ends.length < REPORT_LIMITS.attemptsMax) this.#case.ends.push(end);
      return;
    }
    this.#addSuiteError(this.#suites, end);
  }

  #addSuiteError(suites: readonly JunitSuite[], end: JunitEnd): void {
    const { found, generalError } = suiteFailure(suites, end);
    this.#sink.found(found);
    if (generalError !== null) this.#sink.generalError(generalError);
  }

  #closeCase(): void {
    if (this.#case === null) return;
    const found: readonly FoundCase[] = casesOf(this.#suites, this.#case, this.#files);
    this.#counts.endedCase(this.#case, found.at(-1)?.status);
    this.#case = null;
    for (const each of found) this.#sink.found(each);
  }
}
