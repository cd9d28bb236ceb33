/**
 * Reads TRX, the format of Visual Studio's test platform. Results precede the classes of their tests, so results are held back
 * while there is room. In larger reports the class comes from the test's name.
 */
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import { detailsOf, nameOf } from '../text/bounded-text.ts';
import { splitDotted } from '../text/dotted-name.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { HELD_LIMITS, HeldCases } from '../text/held-cases.ts';
import { type ElementHandler, xmlHandlerOf } from '../xml/element-handler.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import { XmlReader } from '../xml/xml-reader.ts';

const FORMAT = {
  roots: ['TestRun'],
  attributes: ['testId', 'testName', 'outcome', 'duration', 'id', 'className'],
};

const STATUSES = new Map<string, FoundCase['status']>([
  ['passed', 'SUCCESS'],
  ['completed', 'SUCCESS'],
  ['warning', 'SUCCESS'],
  ['passedbutrunaborted', 'SUCCESS'],
  ['failed', 'FAILURE'],
  ['notexecuted', 'SKIPPED'],
  ['inconclusive', 'SKIPPED'],
  ['pending', 'SKIPPED'],
  ['disabled', 'SKIPPED'],
]);

const RESULTS = new Set([
  'UnitTestResult',
  'TestResult',
  'ManualTestResult',
  'GenericTestResult',
  'WebTestResult',
]);

interface OpenResult {
  readonly attributes: XmlAttributes;
  /** A data-driven test contains a result for each row; its own result then counts no more. */
  hasInner: boolean;
  message: string;
  stack: string;
}

export function createTrxReader(sink: ReportSink): FormatReader {
  const handler = new TrxHandler(sink);
  return new XmlReader(FORMAT, { ...xmlHandlerOf(handler), abandon: () => handler.release() });
}

class TrxHandler implements ElementHandler {
  readonly #sink: ReportSink;
  readonly #open: OpenResult[] = [];
  readonly #held: HeldCases;
  readonly #classes = new Map<string, string>();
  #definition = '';
  #runOutcome = '';

  constructor(sink: ReportSink) {
    this.#sink = sink;
    this.#held = new HeldCases(sink, (found, testId) => this.#withClass(found, testId));
  }

  open(element: string, attributes: XmlAttributes, parent: string): boolean {
    if (RESULTS.has(element)) this.#openResult(attributes);
    else if (element === 'UnitTest') this.#definition = attributes.get('id') ?? '';
    else if (element === 'TestMethod') this.#define(attributes);
    else if (element === 'RunInfo') this.#runOutcome = attributes.get('outcome') ?? '';
    return parent === 'ErrorInfo' || (element === 'Text' && parent === 'RunInfo');
  }

  close(element: string, text: string, parent: string): void {
    const result = this.#open.at(-1);
    if (RESULTS.has(element)) this.#closeResult();
    else if (element === 'Message' && result !== undefined) result.message ||= text;
    else if (element === 'StackTrace' && result !== undefined) result.stack ||= text;
    else if (element === 'Text' && parent === 'RunInfo') this.#addRunError(text);
    else if (element === 'TestDefinitions' || element === 'TestRun') this.release();
  }

  /** Releases held-back results. */
  release(): void {
    this.#held.release();
    this.#classes.clear();
  }

  #withClass(found: FoundCase, testId: string): FoundCase {
    const className = this.#classes.get(testId);
    return className === undefined ? found : { ...found, ...splitDotted(joined(found), className) };
  }

  #openResult(attributes: XmlAttributes): void {
    const around = this.#open.at(-1);
    if (around !== undefined) around.hasInner = true;
    this.#open.push({ attributes, hasInner: false, message: '', stack: '' });
  }

  #closeResult(): void {
    const ended = this.#open.pop();
    if (ended === undefined || ended.hasInner) return;
    this.#held.add(caseOf(ended), ended.attributes.get('testId') ?? '');
  }

  #define(attributes: XmlAttributes): void {
    // Some writers add the assembly to the name: `Acme.CartTest, Acme, Version=1.0.0.0`.
    const className = nameOf(attributes.get('className')?.split(',')[0]);
    const isNew = this.#classes.size < HELD_LIMITS.cases;
    if (isNew && className !== '') this.#classes.set(this.#definition, className);
  }

  #addRunError(text: string): void {
    if (/^(?:error|failed|aborted|timeout)$/i.test(this.#runOutcome)) this.#sink.generalError(text);
  }
}

function joined({ suite, name }: FoundCase): string {
  return suite === null ? name : `${suite}.${name}`;
}

function caseOf({ attributes, message, stack }: OpenResult): FoundCase {
  const { suite, name } = splitDotted(nameOf(attributes.get('testName')));
  // A missing or unknown outcome (`Error`, `Timeout`, `Aborted`...) is an error, because the test did not end.
  const status = STATUSES.get((attributes.get('outcome') ?? '').toLowerCase()) ?? 'ERROR';
  const head = {
    suite,
    name: name || '(unnamed)',
    duration: durationOf(attributes.get('duration')),
  };
  const outcome = attributes.get('outcome') ?? 'no outcome';
  const details = detailsOf({
    message: message || (status === 'ERROR' ? outcome : ''),
    text: stack,
  });
  return endedCase(head, status, details);
}

const DURATION = /^(?:(\d+)\.)?(\d+):(\d+):(\d+(?:\.\d+)?)$/;

/** Milliseconds of `1.02:03:04.5`; the days are optional. */
function durationOf(text: string | undefined): number {
  const found = DURATION.exec(text ?? '');
  if (found === null) return 0;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  return milliseconds((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}
