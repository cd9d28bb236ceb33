/** Reads results of NUnit 3 (`test-run`) and NUnit 2 (`test-results`). */
import type { FormatReader, ReportSink } from '../format-reader.ts';
import { detailsOf, joinNames, nameOf } from '../text/bounded-text.ts';
import { splitDotted } from '../text/dotted-name.ts';
import { parseSeconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { createOpenSuites, type OpenSuites } from '../text/suite-failures.ts';
import { type ElementHandler, xmlHandlerOf } from '../xml/element-handler.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import { XmlReader } from '../xml/xml-reader.ts';

const FORMAT = {
  roots: ['test-run', 'test-results', 'test-suite'],
  attributes: [
    'name', 'fullname', 'classname', 'result', 'label', 'site', 'duration', 'time', 'executed', 'success',
  ], // biome-ignore format: one list of names
};

/** In the words of both versions. */
const OUTCOMES = new Map<string, 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED'>([
  ['passed', 'SUCCESS'],
  ['success', 'SUCCESS'],
  ['warning', 'SUCCESS'],
  ['failed', 'FAILURE'],
  ['failure', 'FAILURE'],
  ['error', 'ERROR'],
  ['cancelled', 'ERROR'],
  ['notrunnable', 'ERROR'],
  ['invalid', 'ERROR'],
  ['skipped', 'SKIPPED'],
  ['ignored', 'SKIPPED'],
  ['explicit', 'SKIPPED'],
  ['inconclusive', 'SKIPPED'],
]);

/** Message of a suite whose tests failed: the suite itself has no failure. */
const OF_CHILDREN = /^(?:One or more child tests had|Child test failed)/i;

export function createNunitReader(sink: ReportSink): FormatReader {
  return new XmlReader(FORMAT, xmlHandlerOf(new NunitHandler(sink)));
}

class NunitHandler implements ElementHandler {
  readonly #suites: OpenSuites;
  /** Sites of the failures of open suites. */
  readonly #sites: string[] = [];
  #case: XmlAttributes | null = null;
  #message = '';
  #stack = '';

  constructor(sink: ReportSink) {
    this.#suites = createOpenSuites(sink, joinNames);
  }

  open(element: string, attributes: XmlAttributes, parent: string): boolean {
    if (element === 'test-suite') {
      this.#suites.open(nameOf(attributes.get('name')));
      this.#sites.push(attributes.get('site') ?? '');
      this.#forget();
    } else if (element === 'test-case') {
      this.#case = attributes;
      this.#forget();
    }
    const isMessage = element === 'message' || element === 'stack-trace';
    return isMessage && (parent === 'failure' || parent === 'reason');
  }

  close(element: string, text: string): void {
    if (element === 'message' && text !== '') this.#message = text;
    else if (element === 'stack-trace' && text !== '') this.#stack = text;
    else if (element === 'test-case') this.#closeCase();
    else if (element === 'failure' && this.#case === null) this.#endSuite();
    else if (element === 'test-suite') {
      this.#sites.pop();
      this.#suites.close();
    }
  }

  #forget(): void {
    this.#message = '';
    this.#stack = '';
  }

  #endSuite(): void {
    const site = this.#sites.at(-1) ?? '';
    const isOwn = site !== 'Child' && site !== 'Parent' && !OF_CHILDREN.test(this.#message);
    if (isOwn) this.#suites.failed(detailsOf({ message: this.#message, text: this.#stack }));
    this.#forget();
  }

  #closeCase(): void {
    if (this.#case === null) return;
    const attributes = this.#case;
    this.#case = null;
    const details = detailsOf({ message: this.#message, text: this.#stack });
    const status = statusOf(attributes);
    const duration = parseSeconds(attributes.get('duration') ?? attributes.get('time'));
    const head = { ...this.#nameOf(attributes), duration };
    this.#forget();
    this.#suites.found(endedCase(head, status, details));
  }

  #nameOf(attributes: XmlAttributes): { readonly suite: string | null; readonly name: string } {
    const full = nameOf(attributes.get('fullname') ?? attributes.get('name'));
    const { suite, name } = splitDotted(full, nameOf(attributes.get('classname')));
    const around = suite ?? joinNames(this.#suites.names());
    const own = attributes.has('fullname') ? nameOf(attributes.get('name')) || name : name;
    return { suite: around, name: own || around || '(unnamed)' };
  }
}

function statusOf(attributes: XmlAttributes): 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED' {
  const result = attributes.get('result')?.toLowerCase();
  const label = attributes.get('label')?.toLowerCase();
  if (result === 'failed' && label !== undefined) return OUTCOMES.get(label) ?? 'FAILURE';
  if (result !== undefined) return OUTCOMES.get(result) ?? 'ERROR';
  if (attributes.get('executed')?.toLowerCase() === 'false') return 'SKIPPED';
  return attributes.get('success')?.toLowerCase() === 'false' ? 'FAILURE' : 'SUCCESS';
}
