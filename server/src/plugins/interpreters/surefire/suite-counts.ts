/**
 * What suites say of themselves, against what is seen in them. Newman drops assertions that share a name, and tells of a request without an
 * answer in the counts and the output of its suite alone: without a result of its own, a quality gate would pass what failed.
 */
import { countOf } from '@tutti/manifests';
import type { FoundCase } from '../report-reader.ts';
import { BoundedText, detailsOf } from '../text/bounded-text.ts';
import type { XmlAttributes } from '../xml/xml-tokenizer.ts';
import type { JunitCase, JunitEnd } from './junit-case.ts';

interface CountedSuite {
  /** Failures and errors, as the suite has them. */
  said: number;
  /** Those of its cases, and of the suites in it, whose counts some tools include. */
  seen: number;
  /** Where a suite does not count what is skipped, it may be among the failures. */
  readonly countsSkipped: boolean;
  readonly output: BoundedText;
}

const COUNT = /^\d{1,9}$/;

export class SuiteCounts {
  readonly #suites: CountedSuite[] = [];

  open(attributes: XmlAttributes): void {
    this.#suites.push({
      said: countIn(attributes, 'failures') + countIn(attributes, 'errors'),
      seen: 0,
      countsSkipped: attributes.has('skipped'),
      output: new BoundedText(),
    });
  }

  /** Qt Test counts the messages that tests print as errors. */
  property(attributes: XmlAttributes): void {
    const suite = this.#suites.at(-1);
    if (suite !== undefined && attributes.get('name') === 'QTestVersion') suite.said = 0;
  }

  /** Where the output of the innermost suite goes; null outside of suites. */
  output(): BoundedText | null {
    return this.#suites.at(-1)?.output ?? null;
  }

  saw(kind: JunitEnd['kind']): void {
    const suite = this.#suites.at(-1);
    if (suite === undefined || kind === 'warning') return;
    if (kind !== 'skipped' || !suite.countsSkipped) suite.seen += 1;
  }

  /** Some tools have the end of a case in an attribute alone. */
  endedCase({ ends }: JunitCase, status: FoundCase['status'] | undefined): void {
    if (ends.length > 0 || status === undefined || status === 'SUCCESS') return;
    this.saw(status === 'SKIPPED' ? 'skipped' : 'failure');
  }

  /** Answers the end of a suite that says more than it shows; null for any other. */
  close(): JunitEnd | null {
    const ended = this.#suites.pop();
    if (ended === undefined) return null;
    const around = this.#suites.at(-1);
    if (around !== undefined) around.seen += Math.max(ended.seen, ended.said);
    const missing = ended.said - ended.seen;
    if (missing <= 0) return null;
    const message = `The suite counts ${countOf(missing, 'failure')} that no test case of it shows.`;
    const details = detailsOf({ message, text: ended.output.value });
    return { kind: 'error', time: undefined, details };
  }
}

function countIn(attributes: XmlAttributes, name: string): number {
  const text = attributes.get(name)?.trim() ?? '';
  return COUNT.test(text) ? Number(text) : 0;
}
