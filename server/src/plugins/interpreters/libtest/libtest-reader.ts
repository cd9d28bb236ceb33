/**
 * Reads what `cargo test` prints, with the programs that it runs as suites. A program that did not come to its end is an error, as is
 * one that fails without a test that did, and what cannot be built.
 */
import { OrchestratorError } from '@tutti/manifests';
import type { ReportReader, ReportSink } from '../report-reader.ts';
import { BoundedText, detailsOf, nameOf, ownText } from '../text/bounded-text.ts';
import { milliseconds } from '../text/duration.ts';
import { endedCase } from '../text/ended-case.ts';
import { createLineReader, type LineHandler } from '../text/line-reader.ts';
import { failureOf, type LibtestLine, outcomeOf, parseLibtestLine } from './libtest-lines.ts';
import { createProgramNames, TestProgram } from './test-program.ts';

const LIBTEST_LIMITS = {
  lineLength: 64 * 1024,
  /** Tests of a program that failed and whose text is to come; the others are told without one. */
  failedTests: 10_000,
  /** Texts of panics between the results, of a program. */
  panics: 1000,
} as const;

/** What follows the word that a program printed last. */
type Part = 'results' | 'failures' | 'successes' | 'list';

export function createLibtestReader(sink: ReportSink): ReportReader {
  return createLineReader(new LibtestHandler(sink), LIBTEST_LIMITS.lineLength);
}

class LibtestHandler implements LineHandler {
  readonly #sink: ReportSink;
  readonly #names = createProgramNames();
  #program: TestProgram | null = null;
  /** Null outside of what a program prints of its tests. */
  #part: Part | null = null;
  /** What cargo says before it runs anything, from the first error. */
  #errors = new BoundedText();
  #panic: BoundedText | null = null;
  /** The failed test whose text this is. */
  #section: { readonly name: string; readonly text: BoundedText } | null = null;
  /** A test that prints between its name and its outcome, and what it printed last. */
  #open: { readonly name: string; last: string } | null = null;
  #isLibtest = false;

  constructor(sink: ReportSink) {
    this.#sink = sink;
  }

  line(given: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours, which begin so.
    const line = given.includes('\u001b') ? given.replace(/\u001b\[[\d;]*m/g, '') : given;
    const parsed = parseLibtestLine(line);
    if (this.#part === 'failures') this.#failureLine(parsed, line);
    else if (this.#part === 'successes') this.#successLine(parsed);
    else if (this.#part === 'list') this.#listLine(parsed);
    else if (!this.#cargoLine(parsed)) this.#resultLine(parsed, line);
  }

  end(): void {
    this.abandon();
    if (this.#isLibtest) return;
    throw new OrchestratorError('Invalid', 'no line is of the tests of cargo');
  }

  abandon(): void {
    this.#endProgram();
    if (!this.#errors.isEmpty) this.#failBuild('cargo');
  }

  /** False for what is about tests. */
  #cargoLine(parsed: LibtestLine): boolean {
    switch (parsed.kind) {
      case 'program':
        this.#endProgram();
        this.#begin(this.#names.named(parsed.suite, parsed.build), true);
        return true;
      case 'running':
        this.#running(parsed.planned);
        return true;
      case 'not-compiled':
        if (this.#part === null) this.#failBuild(parsed.what);
        return this.#part === null;
      case 'program-failed':
        if (this.#program !== null) this.#program.isRefused = true;
        this.#settle();
        this.#part = null;
        return true;
      default:
        return parsed.kind === 'targets-failed';
    }
  }

  #begin(suite: string | null, isNamed: boolean): TestProgram {
    const program = new TestProgram(suite, isNamed);
    this.#isLibtest = true;
    this.#program = program;
    return program;
  }

  #running(planned: number): void {
    const known = this.#program;
    // A program may run some of its tests first, and then the others.
    const isNext = known?.isNamed === true && (known.planned === null || known.isOver);
    if (!isNext) this.#endProgram();
    const program = isNext ? known : this.#begin(this.#names.unnamed(), false);
    program.planned = planned;
    program.ended = 0;
    program.isOver = false;
    this.#part = 'results';
  }

  #resultLine(parsed: LibtestLine, line: string): void {
    if (this.#part === null) this.#stray(line);
    else if (parsed.kind === 'test') this.#test(parsed.name, parsed.said);
    else if (parsed.kind === 'panic') this.#beginPanic(parsed.name, line);
    else if (parsed.kind === 'failures' || parsed.kind === 'successes')
      this.#partBegins(parsed.kind);
    else if (parsed.kind === 'result') this.#result();
    else this.#printed(line);
  }

  #stray(line: string): void {
    const program = this.#program;
    if (program !== null && (!program.isOver || program.isRefused)) program.text.add(`${line}\n`);
    else if (line.startsWith('error') || !this.#errors.isEmpty) this.#errors.add(`${line}\n`);
  }

  #printed(line: string): void {
    if (line.trim() === '') this.#panic = null;
    else if (this.#open !== null) this.#open.last = line.trimEnd();
    this.#panic?.add(`${line}\n`);
    this.#program?.text.add(`${line}\n`);
  }

  #test(name: string, said: string): void {
    this.#settle();
    const outcome = outcomeOf(said);
    if (outcome === null) this.#open = { name: nameOf(name), last: said };
    else this.#ended(nameOf(name), outcome);
  }

  /** Of a test that printed something the outcome is at the end of that. */
  #settle(): void {
    const open = this.#open;
    this.#open = null;
    this.#panic = null;
    if (open === null) return;
    const outcome = outcomeOf(/(?:ok|FAILED|ignored(?:, .*)?)$/.exec(open.last)?.[0] ?? '');
    if (outcome !== null) this.#ended(open.name, outcome);
    else this.#found(open.name, 'ERROR', detailsOf({ message: 'The test did not end.' }));
  }

  #ended(name: string, outcome: NonNullable<ReturnType<typeof outcomeOf>>): void {
    const program = this.#program;
    if (program === null) return;
    const { status, reason, duration } = outcome;
    program.ended += 1;
    if (status !== 'FAILURE') this.#found(name, status, detailsOf({ message: reason }), duration);
    else if (program.failed.size < LIBTEST_LIMITS.failedTests) program.failed.add(ownText(name));
    else this.#failed(name, '');
  }

  #found(
    name: string,
    status: 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED',
    details: ReturnType<typeof detailsOf>,
    durationMs = 0,
  ): void {
    const isBad = status === 'FAILURE' || status === 'ERROR';
    if (isBad && this.#program !== null) this.#program.hasFailures = true;
    const head = { suite: this.#program?.suite ?? null, name, duration: milliseconds(durationMs) };
    this.#sink.found(endedCase(head, status, details));
  }

  #failed(name: string, text: string): void {
    const { status, details } = failureOf(text);
    this.#found(name, status, details);
  }

  #beginPanic(name: string, line: string): void {
    const { panics } = this.#program ?? { panics: new Map<string, BoundedText>() };
    const known = panics.get(name);
    this.#panic = known ?? new BoundedText();
    if (known === undefined && panics.size < LIBTEST_LIMITS.panics)
      panics.set(ownText(name), this.#panic);
    this.#panic.add(`${line}\n`);
  }

  #partBegins(part: 'failures' | 'successes'): void {
    this.#settle();
    this.#part = part;
  }

  #failureLine(parsed: LibtestLine, line: string): void {
    if (parsed.kind === 'section' && this.#program?.failed.has(nameOf(parsed.name)) === true) {
      this.#endSection();
      this.#section = { name: nameOf(parsed.name), text: new BoundedText() };
    } else if (parsed.kind === 'failures') {
      this.#endSection();
      this.#part = 'list';
    } else this.#section?.text.add(`${line}\n`);
  }

  #endSection(): void {
    const section = this.#section;
    this.#section = null;
    if (section === null) return;
    this.#program?.failed.delete(section.name);
    this.#failed(section.name, section.text.value);
  }

  #successLine(parsed: LibtestLine): void {
    if (parsed.kind === 'successes') this.#part = 'list';
  }

  #listLine(parsed: LibtestLine): void {
    if (parsed.kind === 'result') this.#result();
    // Behind the list of those that passed.
    else if (parsed.kind === 'failures') this.#part = 'failures';
    else if (parsed.kind === 'program' || parsed.kind === 'program-failed') this.#cargoLine(parsed);
  }

  #result(): void {
    this.#settle();
    this.#part = null;
    const program = this.#program;
    if (program === null) return;
    this.#tellFailed(program);
    program.isOver = true;
    const missing = (program.planned ?? 0) - program.ended;
    if (missing > 0) {
      const about = program.suite === null ? '' : `${program.suite}: `;
      this.#sink.doubt(
        `${about}The report does not name ${missing} of ${program.planned} tests: it was made with --quiet, or is not whole.`,
      );
    }
  }

  /** Those whose text did not come: they printed it at once, or the report ends before. */
  #tellFailed(program: TestProgram): void {
    for (const name of program.failed) this.#failed(name, program.panics.get(name)?.value ?? '');
    program.failed.clear();
    program.panics.clear();
  }

  #endProgram(): void {
    this.#settle();
    this.#endSection();
    this.#part = null;
    const program = this.#program;
    if (program === null) return;
    this.#tellFailed(program);
    const isBroken = program.planned !== null && !program.isOver;
    if (isBroken || (program.isRefused && !program.hasFailures)) this.#failProgram(program);
    this.#program = null;
  }

  #failProgram({ suite, planned, ended, isOver, text }: TestProgram): void {
    const how = /process didn't exit successfully: .*\((.+)\)$/m.exec(text.value)?.[1];
    const counts =
      planned === null || isOver ? 'The tests failed' : `Of ${planned} tests, ${ended} ended`;
    const message = how === undefined ? `${counts}.` : `${counts} (${how}).`;
    this.#fail(suite ?? '(tests)', suite, detailsOf({ message, text: text.value }));
  }

  #failBuild(what: string): void {
    this.#endProgram();
    this.#isLibtest = true;
    const text = this.#errors.value;
    this.#errors = new BoundedText();
    const message = text.split('\n', 1)[0] || `${what} cannot be built.`;
    const name = nameOf(what);
    this.#fail(name, name, detailsOf({ message, text }));
  }

  #fail(name: string, suite: string | null, details: ReturnType<typeof detailsOf>): void {
    this.#sink.generalError(`${name}: ${details.message}`);
    this.#sink.found(endedCase({ suite, name, duration: 0 }, 'ERROR', details));
  }
}
