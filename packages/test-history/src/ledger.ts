/**
 * The folded history of one variant: its state, its newest executions, and the evidence for both. Writing and reading it between two
 * executions changes no byte of the result.
 */
import { ByteReader, ByteWriter } from './byte-writer.ts';
import { durationCode, durationOfCode, medianOfCodes } from './durations.ts';
import { type Execution, isFailure, isFirstAttempt } from './execution.ts';
import { type Contradiction, KnownVersions } from './known-versions.ts';
import { LEDGER_LIMITS } from './limits.ts';
import { type Belief, beginVersion, beliefOf, observe, startModel, WEIGHTS } from './model.ts';
import { Newest } from './newest.ts';
import { RATE_WINDOW } from './rates.ts';
import {
  hasRecovered,
  hasRelapsed,
  isFlaky,
  isTakenBack,
  passesToRecover,
  stateOf,
  type TestState,
} from './state.ts';
import { type Counted, DAY_MS, Strip } from './strip.ts';

/** Where something began. */
export interface Begin {
  readonly run: number;
  readonly version: number;
  readonly atMs: number;
}

export interface Judgement extends Belief {
  readonly state: TestState;
  /** The execution that made the state. Null without executions. */
  readonly since: Begin | null;
  /** The first failed version of the current failures; null unless the variant is broken. */
  readonly brokenSince: Begin | null;
  /** The newest one, the oldest first. */
  readonly contradictions: readonly Contradiction[];
  /** Passes in a row until now, and those that a flaky variant needs to recover. */
  readonly passesInRow: number;
  readonly passesToRecover: number;
}

/** Totals since the first execution. */
export interface Totals {
  readonly executions: number;
  readonly failures: number;
}

export interface LedgerFigures {
  readonly state: TestState;
  readonly flakeRate: number;
  /** Failures among the first attempts of the window of rates. */
  readonly failures: number;
  readonly executions: number;
  /** Median; null without any. */
  readonly durationMs: number | null;
}

type Observed = Pick<Execution, 'run' | 'version' | 'attempt' | 'outcome'>;

const FORMAT = 1;
const STATE_CODES: readonly TestState[] = ['new', 'stable', 'unsure', 'flaky', 'broken'];
const NOWHERE: Begin = { run: 0, version: 0, atMs: 0 };

export class Ledger {
  readonly #weights = new Float32Array(WEIGHTS);
  #versions = new KnownVersions();
  #strip = new Strip();
  #durations = new Newest(new Uint16Array(LEDGER_LIMITS.durationsMax));
  #executions = 0;
  #failures = 0;
  /** Since the model began. */
  #recentFailures = 0;
  #passesInRow = 0;
  #wasFlaky = false;
  #state: TestState = 'new';
  #since = NOWHERE;
  /** The first of the current failures, of which there may be none. */
  #failingSince = NOWHERE;
  #isFailing = false;
  #recoveredMs = 0;
  #lastFailureMs = 0;
  #newestMs = 0;
  #lastRun = 0;
  #hasFailedInLastRun = false;

  constructor() {
    startModel(this.#weights);
  }

  /** The next execution, in the order in which jobs end. Skipped ones change nothing. */
  fold(execution: Execution): void {
    if (execution.outcome === 'skipped') return;
    this.noteRun(execution);
    const { run, version, atMs } = execution;
    const isFailed = isFailure(execution);
    const isFirst = isFirstAttempt(execution);
    const isNextVersion = version !== this.#versions.newest;
    if (isNextVersion && this.#executions > 0) beginVersion(this.#weights);
    observe(this.#weights, isFailed);
    const isContradiction = this.#versions.add({ version, run, atMs, isFailed });
    this.#strip.add({ isFailed, isFirst, isNextVersion, atMs });
    if (isFirst && !isFailed) this.#durations.add(durationCode(execution.durationMs));
    this.#newestMs = Math.max(this.#newestMs, atMs);
    this.#executions++;
    if (isFailed) this.#fail({ run, version, atMs });
    else this.#pass();
    if (isContradiction && this.#recoveredMs > 0) {
      this.#wasFlaky ||= hasRelapsed(this.#newestMs - this.#recoveredMs);
    }
    this.#decideState({ run, version, atMs });
  }

  /** An execution of a job with a mass failure. It counts only for the question whether a later failure is a new one. */
  noteRun(execution: Observed): void {
    if (execution.outcome === 'skipped') return;
    if (execution.run !== this.#lastRun) this.#hasFailedInLastRun = false;
    this.#lastRun = execution.run;
    if (isFirstAttempt(execution) && isFailure(execution)) this.#hasFailedInLastRun = true;
  }

  /** Whether the first attempt failed in the newest run, also in a mass failure. */
  get hasFailedInLastRun(): boolean {
    return this.#hasFailedInLastRun;
  }

  get state(): TestState {
    return this.#state;
  }

  get totals(): Totals {
    return { executions: this.#executions, failures: this.#failures };
  }

  get judgement(): Judgement {
    const belief = beliefOf(this.#weights);
    return {
      ...belief,
      state: this.#state,
      since: this.#executions === 0 ? null : this.#since,
      brokenSince: this.#state === 'broken' ? this.#failingSince : null,
      contradictions: this.#versions.contradictions,
      passesInRow: this.#passesInRow,
      passesToRecover: passesToRecover(belief.flakeRate),
    };
  }

  /** The newest executions for rates, the oldest first. */
  get counted(): readonly Counted[] {
    return this.#strip.counted;
  }

  /** `S` for each pass and `F` for each failure, the oldest first. */
  get letters(): string {
    return this.#strip.letters;
  }

  /** Milliseconds of the newest passed first attempts, the oldest first. */
  get durations(): readonly number[] {
    return this.#durations.values.map(durationOfCode);
  }

  /** Figures for lists. Each folding makes these anew, so they take few steps. */
  figuresAt(nowMs: number): LedgerFigures {
    const { ran, failed } = this.#strip.firstAttempts(nowMs - RATE_WINDOW.daysMax * DAY_MS);
    return {
      state: this.#state,
      flakeRate: beliefOf(this.#weights).flakeRate,
      failures: failed,
      executions: ran,
      durationMs: medianOfCodes(this.#durations.values),
    };
  }

  #fail(begin: Begin): void {
    this.#failures++;
    this.#recentFailures++;
    this.#passesInRow = 0;
    this.#lastFailureMs = begin.atMs;
    if (!this.#isFailing) this.#failingSince = begin;
    this.#isFailing = true;
  }

  #pass(): void {
    this.#passesInRow++;
    this.#isFailing = false;
    if (!this.#wasFlaky) return;
    const { flakeRate, flaky } = beliefOf(this.#weights);
    if (isTakenBack(flaky)) {
      this.#wasFlaky = false;
      return;
    }
    const recovered = hasRecovered({
      flakeRate,
      inRow: this.#passesInRow,
      sinceFailureMs: this.#newestMs - this.#lastFailureMs,
    });
    if (recovered) this.#recover();
  }

  /** The model begins again. Contradictions from before are evidence no more. */
  #recover(): void {
    startModel(this.#weights);
    this.#wasFlaky = false;
    this.#recentFailures = 0;
    this.#recoveredMs = this.#newestMs;
  }

  #decideState(begin: Begin): void {
    const { flaky, broken } = beliefOf(this.#weights);
    const contradictedMs = this.#versions.contradictions.at(-1)?.atMs ?? 0;
    this.#wasFlaky ||= isFlaky({ flaky, failures: this.#recentFailures });
    const state = stateOf({
      flaky,
      broken,
      executions: this.#executions,
      failures: this.#recentFailures,
      hasNewestFailed: this.#isFailing,
      wasFlaky: this.#wasFlaky,
      sinceContradictionMs:
        contradictedMs > this.#recoveredMs ? this.#newestMs - contradictedMs : null,
    });
    if (state !== this.#state || this.#executions === 1) this.#since = begin;
    this.#state = state;
  }

  write(): Uint8Array {
    const { known, contradictions } = this.#versions.numbers;
    const begins = [this.#since, this.#failingSince].flatMap(numbersOf);
    const flags = [this.#wasFlaky, this.#isFailing, this.#hasFailedInLastRun].map(Number);
    return new ByteWriter()
      .whole(FORMAT)
      .floats(this.#weights)
      .list([this.#executions, this.#failures, this.#recentFailures, this.#passesInRow])
      .list([this.#recoveredMs, this.#lastFailureMs, this.#newestMs, this.#lastRun])
      .list([STATE_CODES.indexOf(this.#state), ...flags])
      .list(begins)
      .list(known)
      .list(contradictions)
      .list(this.#strip.entries)
      .shorts(this.#durations.values)
      .end();
  }

  /** Null for bytes of another format. */
  static read(bytes: Uint8Array): Ledger | null {
    const reader = new ByteReader(bytes);
    if (reader.whole() !== FORMAT) return null;
    const ledger = new Ledger();
    reader.floats(ledger.#weights);
    const counts = reader.list();
    [ledger.#executions = 0, ledger.#failures = 0] = counts;
    [, , ledger.#recentFailures = 0, ledger.#passesInRow = 0] = counts;
    const times = reader.list();
    [ledger.#recoveredMs = 0, ledger.#lastFailureMs = 0] = times;
    [, , ledger.#newestMs = 0, ledger.#lastRun = 0] = times;
    const [state = 0, wasFlaky, isFailing, hasFailed] = reader.list();
    ledger.#state = STATE_CODES[state] ?? 'new';
    ledger.#wasFlaky = wasFlaky === 1;
    ledger.#isFailing = isFailing === 1;
    ledger.#hasFailedInLastRun = hasFailed === 1;
    const begins = reader.list();
    ledger.#since = beginOf(begins);
    ledger.#failingSince = beginOf(begins.slice(3));
    ledger.#versions = new KnownVersions(reader.list(), reader.list());
    ledger.#strip = new Strip(ledger.#newestMs, reader.list());
    ledger.#durations = new Newest(new Uint16Array(LEDGER_LIMITS.durationsMax), reader.shorts());
    return ledger;
  }
}

const numbersOf = ({ run, version, atMs }: Begin): readonly number[] => [run, version, atMs];

const beginOf = ([run = 0, version = 0, atMs = 0]: readonly number[]): Begin => ({
  run,
  version,
  atMs,
});
