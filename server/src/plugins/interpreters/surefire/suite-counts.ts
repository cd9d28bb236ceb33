/**
 * Compares the counts of suites and reports with the cases in them. Newman drops assertions that share a name. It reports a request without
 * an answer only in counts and output of its suite. Without a result of its own, a quality gate would pass that failure.
 */
import { countOf } from '@tutti/manifests';
import type { FoundCase } from '../format-reader.ts';
import { BoundedText, detailsOf } from '../text/bounded-text.ts';
import type { XmlAttributes } from '../xml/xml-reader.ts';
import type { JunitCase, JunitEnd } from './junit-case.ts';

/** Elements with counts: a suite, or the element around all suites. */
type CountedKind = 'suite' | 'report';

interface CountedSuite {
  readonly kind: CountedKind;
  /** The counts of the suite. */
  failures: number;
  errors: number;
  /** Failures and errors of its cases, and of inner suites, whose counts some tools include. */
  failed: number;
  skipped: number;
  /** If a suite does not count skipped cases, its failures may include them. */
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

  /** Qt Test counts printed messages as errors, and tools that join reports add them up. */
  property(attributes: XmlAttributes): void {
    if (attributes.get('name') !== 'QTestVersion') return;
    for (const suite of this.#suites) {
      suite.failures = 0;
      suite.errors = 0;
    }
  }

  /** Output of the innermost suite; null outside of suites. */
  output(): BoundedText | null {
    return this.#suites.at(-1)?.output ?? null;
  }

  saw(kind: JunitEnd['kind']): void {
    const suite = this.#suites.at(-1);
    if (suite === undefined || kind === 'warning') return;
    if (kind === 'skipped') suite.skipped += 1;
    else suite.failed += 1;
  }

  /** Some tools give the outcome of a case only in an attribute. */
  endedCase({ ends }: JunitCase, status: FoundCase['status'] | undefined): void {
    if (ends.length > 0 || status === undefined || status === 'SUCCESS') return;
    this.saw(status === 'SKIPPED' ? 'skipped' : 'failure');
  }

  /** Returns the end of a suite that counts more than its cases; null for others. */
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

/** Number of failures and errors that are counted but missing. */
function missingIn(suite: CountedSuite): number {
  const { failures, errors, failed, output } = suite;
  const seen = failed + (suite.countsSkipped ? 0 : suite.skipped);
  // Newman counts errors that appear in the output of the suite, but in no case.
  if (!output.isEmpty) return Math.max(0, failures + errors - seen);
  // A case may be in both: Boost.Test counts one that broke off so.
  return Math.max(0, failures - seen) + Math.max(0, errors - seen);
}

/** Numbers are written as times are: some group thousands, some have a fraction. */
function countIn(attributes: XmlAttributes, name: string): number {
  const text = attributes.get(name)?.trim() ?? '';
  return COUNT.test(text) ? Number(text.replaceAll(',', '')) : 0;
}
