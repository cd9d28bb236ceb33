/** Reads results of xUnit.net: version 2, and the parts of versions 1 and 3 that it shares. */
import type { FormatReader, FoundCase, ReportSink } from '../format-reader.ts';
import { detailsOf, nameOf } from '../text/bounded-text.ts';
import { splitDotted } from '../text/dotted-name.ts';
import { parseSeconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { type ElementHandler, xmlHandlerOf } from '../xml/element-handler.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import { XmlReader } from '../xml/xml-reader.ts';

const FORMAT = {
  roots: ['assemblies', 'assembly'],
  attributes: ['name', 'type', 'result', 'time', 'exception-type'],
};

const STATUSES = new Map<string, FoundCase['status']>([
  ['pass', 'SUCCESS'],
  ['fail', 'FAILURE'],
  ['skip', 'SKIPPED'],
  ['notrun', 'SKIPPED'],
]);

const TEXTS = new Set(['message', 'stack-trace', 'reason', 'warning']);

export function createXunitReader(sink: ReportSink): FormatReader {
  return new XmlReader(FORMAT, xmlHandlerOf(new XunitHandler(sink)));
}

/** An `error` is one of an assembly: of its set-up, its clean-up, its discovery. */
class XunitHandler implements ElementHandler {
  readonly #sink: ReportSink;
  #assembly: string | null = null;
  #open: { readonly element: 'test' | 'error'; readonly attributes: XmlAttributes } | null = null;
  #message = '';
  #stack = '';
  #exception: string | undefined;

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  open(element: string, attributes: XmlAttributes): boolean {
    if (element === 'assembly') this.#assembly = fileName(attributes.get('name'));
    else if (element === 'failure') this.#exception = attributes.get('exception-type');
    else if (element === 'test' || element === 'error') {
      this.#open = { element, attributes };
      this.#message = '';
      this.#stack = '';
      this.#exception = undefined;
    }
    return this.#open !== null && TEXTS.has(element);
  }

  close(element: string, text: string): void {
    if (element === 'stack-trace') this.#stack = text;
    else if (TEXTS.has(element) && text !== '') this.#message ||= text;
    if (this.#open?.element !== element) return;
    const { attributes } = this.#open;
    this.#open = null;
    if (element === 'test') this.#sink.found(this.#caseOf(attributes));
    else this.#addError(attributes);
  }

  #details() {
    return detailsOf({ message: this.#message, type: this.#exception, text: this.#stack });
  }

  #caseOf(attributes: XmlAttributes): FoundCase {
    const { suite, name } = splitDotted(
      nameOf(attributes.get('name')),
      nameOf(attributes.get('type')),
    );
    const status = STATUSES.get((attributes.get('result') ?? '').toLowerCase()) ?? 'ERROR';
    const duration = parseSeconds(attributes.get('time'));
    const head = { suite, name: name || suite || '(unnamed)', duration };
    return endedCase(head, status, this.#details());
  }

  #addError(attributes: XmlAttributes): void {
    const suite = this.#assembly;
    const what = nameOf(attributes.get('name')) || nameOf(attributes.get('type')) || 'error';
    const details = this.#details();
    this.#sink.found({ suite, name: what, status: 'ERROR', duration: 0, errorDetails: details });
    this.#sink.generalError(`${suite ?? what}: ${details.message ?? what}`);
  }
}

/** Directories belong to the workspace of one run, but suites are compared between runs. */
function fileName(path: string | undefined): string | null {
  return nameOf(path).split(/[\\/]/).at(-1) || null;
}
