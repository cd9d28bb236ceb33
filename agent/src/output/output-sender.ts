/**
 * Sends the output of one command, then its result, in numbered batches. Each is retried until the server answers. A sent batch
 * never changes, so that the server recognizes a repetition by its number.
 *
 * The first output waits for a moment: most commands end soon, and their result then includes it. Later output after a silence is
 * sent at once. Output that arrives while a batch is under way is gathered. A full batch is sent without waiting, if the server
 * takes several at a time. The result is sent last, when all output is stored. It ends when the result is stored, `abandon` was
 * called, or the server rejects the command.
 */
import type { ByteBatch, OutputBatch } from '@tutti/manifests';
import { type AgentLogger, describeError } from '../agent-logger.ts';
import { describeAnswer, judge, type Verdict } from '../connection/answers.ts';
import { createBackoff } from '../connection/backoff.ts';
import type { Answer } from '../connection/http-connection.ts';
import {
  BATCH_BYTES_MAX,
  BATCH_PAUSE_MS,
  BYTE_PARTS_MAX,
  FIRST_BATCH_DELAY_MS,
  PIECES_MAX,
  WAITING_BYTES_MAX,
  WAITING_BYTES_RESUME,
} from '../limits.ts';
import type { CommandResult } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { type LineRun, type OutputPart, type OutputStream, postedLines } from './output-lines.ts';

/** JSON, or pieces of bytes. */
export type PostBody = string | readonly Uint8Array[];

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
  /** The server takes output as bytes, except together with a result. */
  readonly takesBytes: boolean;
  /** Rejects on connection errors, and when the signal is aborted. */
  readonly post: (body: PostBody, signal: AbortSignal) => Promise<Answer>;
  readonly onRoom: () => void;
  readonly timing: Timing;
  readonly logger: AgentLogger;
}

/** A batch that is under way. */
interface Sent {
  readonly sequence: number;
  /** As the buffer counts it. */
  readonly size: number;
  readonly body: () => PostBody;
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

  /** Does nothing once the sender ended. */
  append(stream: OutputStream, run: LineRun): void {
    if (this.#isOver()) return;
    const isFirst = this.#sequence === 0 && this.#buffer.size() === 0;
    if (isFirst) this.#pausedUntil = this.#options.timing.now() + FIRST_BATCH_DELAY_MS;
    this.#buffer.append(stream, run);
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
    return !this.#isOver() && this.#unstoredSize() > WAITING_BYTES_MAX;
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
    if (this.#underWay.size === 0) return this.#buffer.size() > 0 || this.#result !== null;
    return this.#underWay.size < this.#options.batchesUnderWay && this.#isBatchFull();
  }

  #isBatchFull(): boolean {
    return this.#buffer.size() >= BATCH_BYTES_MAX;
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
    const before = this.#buffer.size();
    const output = this.#buffer.take(BATCH_BYTES_MAX);
    const size = before - this.#buffer.size();
    const isAlone = this.#underWay.size === 0;
    const isLast = this.#result !== null && isAlone && this.#buffer.size() === 0;
    this.#isReporting = isLast;
    const result = isLast ? this.#result : null;
    return { sequence, size, body: this.#bodyOf(sequence, output, result) };
  }

  #bodyOf(
    sequence: number,
    output: readonly OutputPart[],
    result: CommandResult | null,
  ): () => PostBody {
    const about = { command_id: this.#options.commandId, sequence };
    if (this.#options.takesBytes && result === null && output.length <= BYTE_PARTS_MAX) {
      const head = this.#withOldest({ ...about, output: output.map(postedBytes) });
      const pieces = piecesOf(output);
      return () => [Buffer.from(`${head()}\n`), ...pieces];
    }
    const posted = result === null ? {} : { ...result, next: true };
    return this.#withOldest({ ...about, output: output.map(postedLines), ...posted });
  }

  /** Each retry names the batches that are under way now. */
  #withOldest(batch: OutputBatch | ByteBatch): () => string {
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
    const outcome = await deliver(sent.body, this.#over.signal, isTaken, this.#options);
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
    if (!this.#wasFull || this.#unstoredSize() > WAITING_BYTES_RESUME) return;
    this.#wasFull = false;
    this.#options.onRoom();
  }

  #unstoredSize(): number {
    let size = this.#buffer.size();
    for (const sent of this.#underWay.values()) size += sent.size;
    return size;
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }
}

function postedBytes({ pieces, ...part }: OutputPart): ByteBatch['output'][number] {
  return { ...part, bytes: pieces.reduce((sum, { length }) => sum + length, 0) };
}

function piecesOf(output: readonly OutputPart[]): readonly Uint8Array[] {
  const pieces = output.flatMap((part) => part.pieces);
  return pieces.length > PIECES_MAX ? [Buffer.concat(pieces)] : pieces;
}

async function deliver(
  body: () => PostBody,
  signal: AbortSignal,
  isTaken: () => boolean,
  options: OutputSenderOptions,
): Promise<SendOutcome> {
  const { timing, logger, commandId } = options;
  const backoff = createBackoff(timing.random);
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const { outcome, problem, retryAfterMs } = await tryOnce(body(), signal, options);
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
  body: PostBody,
  signal: AbortSignal,
  { post }: OutputSenderOptions,
): Promise<Attempt> {
  try {
    const answer = await post(body, signal);
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
