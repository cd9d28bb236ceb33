/**
 * Sends the output of one command, and then its result, in numbered batches: one POST at a time, each repeated until the
 * server answered it. A batch never changes once it was sent, so that the server can tell a repetition by its number.
 *
 * Waits for output -> gathers it for 25 ms -> sends -> waits ..., until the batch with the result was stored, or `abandon` was
 * called, or the server does not want the command any more.
 */
import { type AgentLogger, describeError } from '../agent-logger.ts';
import { describeAnswer, judge, type Verdict } from '../connection/answers.ts';
import { createBackoff } from '../connection/backoff.ts';
import type { Answer } from '../connection/http-connection.ts';
import {
  BATCH_BYTES_MAX,
  BATCH_DELAY_MS,
  WAITING_BYTES_MAX,
  WAITING_BYTES_RESUME,
} from '../limits.ts';
import type { CommandResult, OutputBatch, OutputStream } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { createOutputBuffer, type LineEnd } from './output-buffer.ts';

/**
 * - `stored`: the server has all of it;
 * - `abandoned`: we gave it up;
 * - `unwanted`: nobody waits for the command;
 * - `unknown-agent`: the server has lost our registration.
 */
export type SendOutcome = 'stored' | 'abandoned' | 'unwanted' | 'unknown-agent';

export interface OutputSender {
  /** Does nothing once the sender ended. `end`: what is said of the last line. */
  append(stream: OutputStream, lines: readonly string[], end?: LineEnd): void;
  /** No output comes after this; called once. */
  finish(result: CommandResult): void;
  abandon(): void;
  /**
   * The server went on to the next command. It does so only once it has a result, so if the result is on its way, its
   * acknowledgement is not waited for: then true.
   */
  supersede(): boolean;
  /** True while so much output waits that no more should be read; `onRoom` is called when that has changed. */
  isFull(): boolean;
  /** Never rejects. */
  readonly ended: Promise<SendOutcome>;
}

export interface OutputSenderOptions {
  readonly commandId: string;
  /** Rejects on connection errors, and when the signal is aborted. */
  readonly post: (json: string, signal: AbortSignal) => Promise<Answer>;
  readonly onRoom: () => void;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

export const createOutputSender = (options: OutputSenderOptions): OutputSender =>
  new BatchSender(options);

class BatchSender implements OutputSender {
  readonly ended: Promise<SendOutcome>;
  readonly #options: OutputSenderOptions;
  readonly #buffer = createOutputBuffer();
  readonly #abandonment = new AbortController();
  /** Aborted when there is something to send again, or something that must not wait for more. */
  #wake = new AbortController();
  #result: CommandResult | null = null;
  #firstLineAt = 0;
  #isOver = false;
  #wasFull = false;
  #isReporting = false;
  #isSuperseded = false;

  constructor(options: OutputSenderOptions) {
    this.#options = options;
    this.ended = this.#sendAll().finally(() => {
      this.#isOver = true;
      this.#buffer.take(Number.POSITIVE_INFINITY);
      // Whoever paused a pipe because of us must be able to read on and see it end.
      options.onRoom();
    });
  }

  append(stream: OutputStream, lines: readonly string[], end: LineEnd = null): void {
    if (this.#isOver || lines.length === 0) return;
    const wasEmpty = this.#buffer.bytes() === 0;
    if (wasEmpty) this.#firstLineAt = this.#options.timing.now();
    this.#buffer.append(stream, lines, end);
    this.#wasFull ||= this.isFull();
    if (wasEmpty || this.#isUrgent()) this.#wake.abort();
  }

  finish(result: CommandResult): void {
    this.#result = result;
    this.#wake.abort();
  }

  abandon(): void {
    this.#abandonment.abort();
    this.#wake.abort();
  }

  supersede(): boolean {
    this.#isSuperseded = this.#isReporting;
    return this.#isSuperseded;
  }

  isFull(): boolean {
    return !this.#isOver && this.#buffer.bytes() > WAITING_BYTES_MAX;
  }

  async #sendAll(): Promise<SendOutcome> {
    for (let sequence = 0; ; sequence += 1) {
      await this.#gather();
      if (this.#isAbandoned()) return 'abandoned';
      const batch = this.#takeBatch(sequence);
      const json = JSON.stringify(batch);
      this.#isReporting = 'exit_status' in batch;
      const outcome = await this.#deliver(json);
      if (outcome !== 'stored' || 'exit_status' in batch) return outcome;
      this.#reportRoom();
    }
  }

  async #deliver(json: string): Promise<SendOutcome> {
    const isTaken = () => this.#isSuperseded;
    return await deliver(json, this.#abandonment.signal, isTaken, this.#options);
  }

  async #gather(): Promise<void> {
    const { timing } = this.#options;
    while (!this.#hasWork()) await this.#sleep();
    const leftMs = this.#firstLineAt + BATCH_DELAY_MS - timing.now();
    if (this.#isUrgent() || leftMs <= 0) return;
    this.#wake = new AbortController();
    await timing.wait(leftMs, this.#wake.signal);
  }

  #sleep(): Promise<void> {
    this.#wake = new AbortController();
    const { signal } = this.#wake;
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #takeBatch(sequence: number): OutputBatch {
    const output = this.#buffer.take(BATCH_BYTES_MAX);
    this.#firstLineAt = this.#options.timing.now();
    const batch = { command_id: this.#options.commandId, sequence, output };
    const isLast = this.#result !== null && this.#buffer.bytes() === 0;
    return isLast ? { ...batch, ...this.#result, next: true } : batch;
  }

  #reportRoom(): void {
    if (!this.#wasFull || this.#buffer.bytes() > WAITING_BYTES_RESUME) return;
    this.#wasFull = false;
    this.#options.onRoom();
  }

  #isAbandoned(): boolean {
    return this.#abandonment.signal.aborted;
  }

  #hasWork(): boolean {
    return this.#buffer.bytes() > 0 || this.#isFinal();
  }

  #isUrgent(): boolean {
    return this.#buffer.bytes() >= BATCH_BYTES_MAX || this.#isFinal();
  }

  #isFinal(): boolean {
    return this.#result !== null || this.#isAbandoned();
  }
}

async function deliver(
  json: string,
  signal: AbortSignal,
  isTaken: () => boolean,
  options: OutputSenderOptions,
): Promise<SendOutcome> {
  const { timing, logger, commandId } = options;
  const backoff = createBackoff(timing.random);
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const { outcome, problem, retryAfterMs } = await tryOnce(json, signal, options);
    if (isTaken()) return 'stored';
    // One line per batch, not per attempt: a server may be away for hours.
    if (problem !== null && attempt === 1 && !signal.aborted) {
      logger.warn('The server did not take output of a command.', {
        command_id: commandId,
        error: problem,
      });
    }
    if (outcome !== 'again') return outcome;
    await timing.wait(backoff.next(retryAfterMs), signal);
  }
  return 'abandoned';
}

interface Attempt {
  readonly outcome: SendOutcome | 'again';
  /** Why it is not stored; null if it is. */
  readonly problem: string | null;
  readonly retryAfterMs?: number | undefined;
}

async function tryOnce(
  json: string,
  signal: AbortSignal,
  { post }: OutputSenderOptions,
): Promise<Attempt> {
  try {
    const answer = await post(json, signal);
    const verdict = judge(answer);
    return {
      outcome: OUTCOMES[verdict],
      problem: verdict === 'done' ? null : describeAnswer(answer),
      retryAfterMs: answer.retryAfterMs,
    };
  } catch (error) {
    return { outcome: 'again', problem: describeError(error) };
  }
}

const OUTCOMES: Readonly<Record<Verdict, SendOutcome | 'again'>> = {
  done: 'stored',
  'unknown-agent': 'unknown-agent',
  unwanted: 'unwanted',
  // Whether a token is wrong for good is found out by the poll loop, which then ends the agent.
  refused: 'again',
  rejected: 'unwanted',
  unavailable: 'again',
};
