/**
 * Sends the output of one command, then its result, in numbered batches. Each is retried until the server answers. A sent batch
 * never changes, so that the server recognizes a repetition by its number.
 *
 * The first output waits for a moment: most commands end soon, and their result then includes it. Later output after a silence is
 * sent at once. Output that arrives while a batch is under way is gathered. A full batch is sent without waiting, if the server
 * takes several at a time. The result is sent last, when all output is stored. It ends when the result is stored, `abandon` was
 * called, or the server rejects the command.
 */
import type { OutputBatch } from '@tutti/manifests';
import { type AgentLogger, describeError } from '../agent-logger.ts';
import { describeAnswer, judge, type Verdict } from '../connection/answers.ts';
import { createBackoff } from '../connection/backoff.ts';
import type { Answer } from '../connection/http-connection.ts';
import {
  BATCH_BYTES_MAX,
  BATCH_PAUSE_MS,
  FIRST_BATCH_DELAY_MS,
  WAITING_BYTES_MAX,
  WAITING_BYTES_RESUME,
} from '../limits.ts';
import type { CommandResult } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import {
  createOutputBuffer,
  type LineEnd,
  type OutputStream,
  postedLines,
} from './output-buffer.ts';

/**
 * - `stored`: the server has all of it;
 * - `abandoned`: the agent gave it up;
 * - `unwanted`: the server does not wait for the command;
 * - `unknown-agent`: the server lost our registration.
 */
export type SendOutcome = 'stored' | 'abandoned' | 'unwanted' | 'unknown-agent';

export interface OutputSenderOptions {
  readonly commandId: string;
  /** Batches that the server takes at a time. */
  readonly batchesUnderWay: number;
  /** Rejects on connection errors, and when the signal is aborted. */
  readonly post: (json: string, signal: AbortSignal) => Promise<Answer>;
  readonly onRoom: () => void;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

/** A batch that is under way. */
interface Sent {
  readonly sequence: number;
  /** The size as the buffer counts it. */
  readonly bytes: number;
  readonly json: () => string;
}

export class OutputSender {
  /** Never rejects. */
  readonly ended: Promise<SendOutcome>;
  readonly #options: OutputSenderOptions;
  readonly #buffer = createOutputBuffer();
  /** Aborted when it is over, in whatever way: with `#outcome`. */
  readonly #over = new AbortController();
  #outcome: SendOutcome | null = null;
  /** By their numbers, the oldest first. */
  readonly #underWay = new Map<number, Sent>();
  readonly #end = Promise.withResolvers<SendOutcome>();
  #result: CommandResult | null = null;
  #sequence = 0;
  /** Before that time only a full batch, or the result, is sent. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isPausing = false;
  #wasFull = false;
  #isReporting = false;
  #isSuperseded = false;

  constructor(options: OutputSenderOptions) {
    this.#options = options;
    this.ended = this.#end.promise;
  }

  /** Does nothing once the sender ended. `end`: what is said of the last line. */
  append(stream: OutputStream, lines: readonly string[], end: LineEnd = null): void {
    if (this.#isOver()) return;
    const isFirst = this.#sequence === 0 && this.#buffer.bytes() === 0;
    if (isFirst) this.#pausedUntil = this.#options.timing.now() + FIRST_BATCH_DELAY_MS;
    this.#buffer.append(stream, lines, end);
    this.#wasFull ||= this.isFull();
    this.#send();
  }

  /** No output comes after this; called once. */
  finish(result: CommandResult): void {
    this.#result = result;
    this.#send();
  }

  abandon(): void {
    this.#conclude('abandoned');
  }

  /**
   * The server went on to the next command. It does so only once it has a result. So if the result is on its way, no acknowledgement is
   * awaited: then true.
   */
  supersede(): boolean {
    this.#isSuperseded = this.#isReporting;
    return this.#isSuperseded;
  }

  /** True while so much output waits that no more should be read; `onRoom` is called when that has changed. */
  isFull(): boolean {
    return !this.#isOver() && this.#unstoredBytes() > WAITING_BYTES_MAX;
  }

  /** Sends due batches; called after every change. */
  #send(): void {
    while (this.#isDue()) {
      if (!this.#mayGoNow()) {
        this.#pause();
        return;
      }
      const sent = this.#takeBatch();
      this.#underWay.set(sent.sequence, sent);
      void this.#deliver(sent);
    }
  }

  #isDue(): boolean {
    if (this.#isOver() || this.#isReporting) return false;
    if (this.#underWay.size === 0) return this.#buffer.bytes() > 0 || this.#result !== null;
    return this.#underWay.size < this.#options.batchesUnderWay && this.#isBatchFull();
  }

  #isBatchFull(): boolean {
    return this.#buffer.bytes() >= BATCH_BYTES_MAX;
  }

  #mayGoNow(): boolean {
    return this.#isBatchFull() || this.#result !== null || this.#pauseLeftMs() <= 0;
  }

  #pauseLeftMs(): number {
    return this.#pausedUntil - this.#options.timing.now();
  }

  #pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    void this.#options.timing.wait(this.#pauseLeftMs(), this.#over.signal).then(() => {
      this.#isPausing = false;
      this.#pausedUntil = Number.NEGATIVE_INFINITY;
      this.#send();
    });
  }

  #takeBatch(): Sent {
    const sequence = this.#sequence;
    this.#sequence += 1;
    this.#pausedUntil = this.#options.timing.now() + BATCH_PAUSE_MS;
    const before = this.#buffer.bytes();
    const output = this.#buffer.take(BATCH_BYTES_MAX);
    const bytes = before - this.#buffer.bytes();
    const isAlone = this.#underWay.size === 0;
    const isLast = this.#result !== null && isAlone && this.#buffer.bytes() === 0;
    this.#isReporting = isLast;
    const batch: OutputBatch = {
      command_id: this.#options.commandId,
      sequence,
      output: output.map(postedLines),
      ...(isLast ? { ...this.#result, next: true } : {}),
    };
    return { sequence, bytes, json: this.#jsonOf(batch) };
  }

  /** Each retry names the batches that are under way now. */
  #jsonOf(batch: OutputBatch): () => string {
    const json = JSON.stringify(batch);
    if (this.#options.batchesUnderWay === 1) return () => json;
    return () => `{"oldest":${this.#oldest(batch.sequence)},${json.slice(1)}`;
  }

  #oldest(sequence: number): number {
    const [oldest = sequence] = this.#underWay.keys();
    return oldest;
  }

  async #deliver(sent: Sent): Promise<void> {
    const isTaken = () => this.#isSuperseded;
    const outcome = await deliver(sent.json, this.#over.signal, isTaken, this.#options);
    this.#underWay.delete(sent.sequence);
    if (outcome !== 'stored' || this.#isReporting) this.#conclude(outcome);
    else this.#reportRoom();
    this.#settle();
    this.#send();
  }

  #conclude(outcome: SendOutcome): void {
    if (this.#isOver()) return;
    this.#outcome = outcome;
    this.#over.abort();
    this.#buffer.take(Number.POSITIVE_INFINITY);
    // The reader must be able to resume a pipe that it paused for us, and see its end.
    this.#options.onRoom();
    this.#settle();
  }

  /** Requests under way end soon after the abort. */
  #settle(): void {
    if (this.#outcome !== null && this.#underWay.size === 0) this.#end.resolve(this.#outcome);
  }

  #reportRoom(): void {
    if (!this.#wasFull || this.#unstoredBytes() > WAITING_BYTES_RESUME) return;
    this.#wasFull = false;
    this.#options.onRoom();
  }

  #unstoredBytes(): number {
    let bytes = this.#buffer.bytes();
    for (const sent of this.#underWay.values()) bytes += sent.bytes;
    return bytes;
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }
}

async function deliver(
  json: () => string,
  signal: AbortSignal,
  isTaken: () => boolean,
  options: OutputSenderOptions,
): Promise<SendOutcome> {
  const { timing, logger, commandId } = options;
  const backoff = createBackoff(timing.random);
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const { outcome, problem, retryAfterMs } = await tryOnce(json(), signal, options);
    if (isTaken()) return 'stored';
    // One line per batch, not per attempt: the server may be unreachable for hours.
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
  // The poll loop finds out whether a token is permanently wrong, and then ends the agent.
  refused: 'again',
  rejected: 'unwanted',
  unavailable: 'again',
};
