/**
 * What suites and reports say of themselves, against what is seen in them. Newman drops assertions that share a name, and tells of a request
 * without an answer in the counts and the output of its suite alone: without a result of its own, a quality gate would pass what failed.
 */
import { countOf } from '@tutti/manifests';
import type { FoundCase } from '../format-reader.ts';
import { BoundedText, detailsOf } from '../text/bounded-text.ts';
import type { XmlAttributes } from '../xml/xml-tokenizer.ts';
import type { JunitCase, JunitEnd } from './junit-case.ts';

/** What has counts: a suite, or the element around all suites. */
export type CountedKind = 'suite' | 'report';

interface CountedSuite {
  readonly kind: CountedKind;
  /** As the suite has them. */
  failures: number;
  errors: number;
  /** Failures and errors of its cases, and of the suites in it, whose counts some tools include. */
  failed: number;
  skipped: number;
  /** Where a suite does not count what is skipped, it may be among the failures. */
  readonly countsSkipped: boolean;
  readonly output: BoundedText;
}

const COUNT = /^(?:\d{1,9}|[1-9]\d{0,2}(?:,\d{3}){1,2})(?:\.0*)?$/;

export class SuiteCounts {
  readonly #suites: CountedSuite[] = [];

  open(kind: CountedKind, attributes: XmlAttributes): void {
    this.#suites.push({
      kind,
      failures: countIn(attributes, 'failures'),
      errors: countIn(attributes, 'errors'),
      failed: 0,
      skipped: 0,
      countsSkipped: attributes.has('skipped'),
      output: new BoundedText(),
    });
  }

  /** Qt Test counts the messages that tests print as errors, and whoever joins reports adds them up. */
  property(attributes: XmlAttributes): void {
    if (attributes.get('name') !== 'QTestVersion') return;
    for (const suite of this.#suites) {
      suite.failures = 0;
      suite.errors = 0;
    }
  }

  /** Where the output of the innermost suite goes; null outside of suites. */
  output(): BoundedText | null {
    return this.#suites.at(-1)?.output ?? null;
  }

  saw(kind: JunitEnd['kind']): void {
    const suite = this.#suites.at(-1);
    if (suite === undefined || kind === 'warning') return;
    if (kind === 'skipped') suite.skipped += 1;
    else suite.failed += 1;
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
    const missing = missingIn(ended);
    const around = this.#suites.at(-1);
    if (around !== undefined) {
      around.failed += Math.max(ended.failed + missing, ended.failures, ended.errors);
      around.skipped += ended.skipped;
    }
    if (missing === 0) return null;
    const message = `The ${ended.kind} counts ${countOf(missing, 'failure')} that no test case of it shows.`;
    const details = detailsOf({ message, text: ended.output.value });
    return { kind: 'error', time: undefined, details };
  }
}

/** How many more failures and errors there must have been than were seen. */
function missingIn(suite: CountedSuite): number {
  const { failures, errors, failed, output } = suite;
  const seen = failed + (suite.countsSkipped ? 0 : suite.skipped);
  // Newman counts as errors what it tells in the output of the suite, and in no case of it.
  if (!output.isEmpty) return Math.max(0, failures + errors - seen);
  // A case may be in both: Boost.Test counts one that broke off so.
  return Math.max(0, failures - seen) + Math.max(0, errors - seen);
}

/** Numbers are written as times are: some group thousands, some have a fraction. */
function countIn(attributes: XmlAttributes, name: string): number {
  const text = attributes.get(name)?.trim() ?? '';
  return COUNT.test(text) ? Number(text.replaceAll(',', '')) : 0;
}
