/**
 * Reads the output of `go test -json`. A test without an end (a panic, a timeout, a cut report) is an error. So is a failed package without
 * a failed test: its build failed, or it ended itself. If a subtest fails, Go fails its test, too. So a test with subtests is a test case
 * only if it failed and no subtest did.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { FormatReader, ReportSink } from '../format-reader.ts';
import { BoundedText, detailsOf, nameOf } from '../text/bounded-text.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { createLineReader, type LineHandler } from '../text/line-reader.ts';
import { type GoEvent, parseGoEvent } from './go-events.ts';

const GO_LIMITS = {
  lineLength: 256 * 1024,
  /** Tests that run at a time, of all packages; outputs of builds. */
  openTests: 10_000,
  builds: 1000,
  /** Packages that began, or have a failed test, and have not ended themselves. */
  openPackages: 10_000,
  /** Limit for all outputs together, in characters. */
  outputLength: 16 * 1024 * 1024,
} as const;

/** Separates package and test in keys: no name contains it. */
const SEPARATOR = '\u0000';

/** Lines that Go itself prints about the progress of tests. */
const PROGRESS =
  /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:PASS|FAIL|SKIP|BENCH):|(?:PASS|FAIL)\s*$)/;

/** The line of Go before 1.24, between the events. */
const BUILD_FAILED = /^FAIL\s+(\S+)\s+\[(build|setup) failed\]/;

export function createGotestReader(sink: ReportSink): FormatReader {
  return createLineReader(new GotestHandler(sink), GO_LIMITS.lineLength);
}

class GotestHandler implements LineHandler {
  readonly #sink: ReportSink;
  /** Outputs of tests that run. */
  readonly #open = new Map<string, BoundedText>();
  /** Open tests with subtests, and whether one of those failed. */
  readonly #parents = new Map<string, boolean>();
  readonly #packages = new Map<string, BoundedText>();
  readonly #builds = new Map<string, BoundedText>();
  readonly #failed = new Set<string>();
  /** Packages that began, and have not ended themselves. */
  readonly #begun = new Set<string>();
  #stray = new BoundedText();
  #length = 0;
  #hasEvents = false;
  #hasBroken = false;

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  line(line: string, isCut: boolean): void {
    const event = line.startsWith('{') && !isCut ? parseGoEvent(line) : null;
    if (event !== null) this.#event(event);
    else if (line.startsWith('{')) this.#broken();
    else this.#strayLine(line);
  }

  end(): void {
    this.abandon();
    if (!this.#hasEvents) {
      throw new OrchestratorError('Invalid', 'no line is an event of "go test -json"');
    }
    const [first] = this.#begun;
    if (first === undefined) return;
    const others = this.#begun.size === 1 ? '' : ` and of ${this.#begun.size - 1} more`;
    this.#sink.doubt(
      `The report has no end of package ${nameOf(first)}${others}: it may have been cut off.`,
    );
  }

  abandon(): void {
    // Subtests began after their tests, and end before them.
    for (const key of [...this.#open.keys()].reverse()) this.#endTest(key, 'ERROR', 0);
  }

  #event(event: GoEvent): void {
    this.#hasEvents = true;
    const { action } = event;
    if (action === 'build-output') this.#collect(this.#builds, event.importPath, event.output);
    else if (event.package !== '') this.#eventOfPackage(event);
  }

  #eventOfPackage(event: GoEvent): void {
    if (this.#begun.size < GO_LIMITS.openPackages) this.#begun.add(event.package);
    if (event.test === '') this.#packageEvent(event);
    else this.#testEvent(`${event.package}${SEPARATOR}${event.test}`, event);
  }

  #testEvent(key: string, event: GoEvent): void {
    const duration = event.elapsed * 1000;
    switch (event.action) {
      case 'run':
        this.#begin(key);
        return;
      case 'output':
        this.#collect(this.#open, key, event.output);
        return;
      case 'pass':
      case 'bench':
        this.#endTest(key, 'SUCCESS', duration);
        return;
      case 'skip':
        this.#endTest(key, 'SKIPPED', duration);
        return;
      case 'fail':
        this.#endTest(key, 'FAILURE', duration);
    }
  }

  #packageEvent(event: GoEvent): void {
    const { package: name, action } = event;
    if (action === 'output') this.#collect(this.#packages, name, event.output);
    if (action !== 'pass' && action !== 'fail' && action !== 'skip') return;
    const prefix = `${name}${SEPARATOR}`;
    for (const key of [...this.#open.keys()].reverse()) {
      if (key.startsWith(prefix)) this.#endTest(key, 'ERROR', 0);
    }
    const output = this.#builds.get(event.failedBuild) ?? this.#packages.get(name);
    if (action === 'fail' && !this.#failed.has(name)) this.#failPackage(name, output?.value ?? '');
    this.#forget(this.#packages, name);
    this.#failed.delete(name);
    this.#begun.delete(name);
  }

  #begin(key: string): void {
    if (this.#open.size >= GO_LIMITS.openTests) return;
    this.#open.set(key, new BoundedText());
    const parent = this.#parentOf(key);
    if (parent !== null && !this.#parents.has(parent)) this.#parents.set(parent, false);
  }

  /** The open test with the longest name before a slash: the own name of a subtest may have slashes, too. */
  #parentOf(key: string): string | null {
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const parent = key.slice(0, end);
      if (this.#open.has(parent)) return parent;
    }
    return null;
  }

  #collect(outputs: Map<string, BoundedText>, key: string, output: string): void {
    if (PROGRESS.test(output) || this.#length > GO_LIMITS.outputLength) return;
    const known = outputs.get(key);
    const max = outputs === this.#builds ? GO_LIMITS.builds : GO_LIMITS.openTests;
    if (known === undefined && outputs.size >= max) return;
    const text = known ?? new BoundedText();
    const before = text.length;
    text.add(output);
    this.#length += text.length - before;
    if (known === undefined) outputs.set(key, text);
  }

  #forget(outputs: Map<string, BoundedText>, key: string): void {
    this.#length -= outputs.get(key)?.length ?? 0;
    outputs.delete(key);
  }

  #endTest(
    key: string,
    status: 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED',
    durationMs: number,
  ): void {
    const [suite = '', name = ''] = key.split(SEPARATOR);
    const output = this.#open.get(key)?.value ?? '';
    this.#forget(this.#open, key);
    const isBad = status === 'FAILURE' || status === 'ERROR';
    if (isBad && this.#failed.size < GO_LIMITS.openPackages) this.#failed.add(suite);
    if (this.#isShownBySubtests(key, isBad)) return;
    const message = status === 'ERROR' ? 'The test did not end.' : firstLine(output);
    const details = status === 'SUCCESS' ? {} : detailsOf({ message, text: isBad ? output : '' });
    const head = { suite: nameOf(suite), name: nameOf(name), duration: milliseconds(durationMs) };
    this.#sink.found(endedCase(head, status, details));
  }

  /** Whether the test has subtests that say how it ended. */
  #isShownBySubtests(key: string, isBad: boolean): boolean {
    const parent = isBad ? this.#parentOf(key) : null;
    if (parent !== null) this.#parents.set(parent, true);
    const hasFailedSubtest = this.#parents.get(key);
    this.#parents.delete(key);
    return hasFailedSubtest !== undefined && (hasFailedSubtest || !isBad);
  }

  #failPackage(name: string, output: string): void {
    const suite = nameOf(name);
    const message = firstLine(output) || 'The package failed.';
    const details = detailsOf({ message, text: output });
    this.#sink.found(endedCase({ suite, name: suite, duration: 0 }, 'ERROR', details));
    this.#sink.generalError(`${suite}: ${message}`);
  }

  #strayLine(line: string): void {
    const failed = BUILD_FAILED.exec(line)?.[1];
    if (failed !== undefined) {
      const output = this.#stray.value;
      this.#stray = new BoundedText();
      this.#failPackage(failed, output);
      this.#failed.add(failed);
    } else if (line.trim() !== '') this.#stray.add(`${line}\n`);
  }

  #broken(): void {
    if (this.#hasBroken) return;
    this.#hasBroken = true;
    this.#sink.doubt('Some lines of the report are no events: it may have been cut off.');
  }
}

function firstLine(output: string): string {
  return (
    output
      .split('\n', 50)
      .map((line) => line.trim())
      .find((line) => line !== '' && !line.startsWith('#')) ?? ''
  );
}
