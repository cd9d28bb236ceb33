/**
 * Whether the database has damaged pages. SQLite's quick check reads all of it in a thread of its own, now and then. It does not run on a
 * large database. A damaged page that somebody meets while the server works is remembered, too.
 */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { startThread } from '../../runtime/start-thread.ts';

/** The quick check of so many bytes takes some seconds, during which the write-ahead log grows. */
const CHECKED_BYTES_MAX = 2 * 1024 ** 3;
const EVERY_MS = 6 * 60 * 60_000;
/** Far more than it takes. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export interface PagesState {
  /** The message of SQLite about the first damaged page; null where none is known. */
  readonly problem: string | null;
  /** Why less is known than could be; null where all pages were looked at. */
  readonly note: string | null;
}

export interface PagesCheckOptions {
  readonly file: string;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
  /** For tests. */
  readonly checkedBytesMax?: number;
}

export class PagesCheck {
  readonly #options: PagesCheckOptions;
  #problem: string | null = null;
  #checking: Promise<void> | null = null;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #hasChecked = false;

  constructor(options: PagesCheckOptions) {
    this.#options = options;
  }

  /** The problem stays until the process ends: damage does not mend itself. */
  noteDamage(error: Error): void {
    this.#problem ??= error.message;
  }

  /** Begins a check where it is time for one, and waits for the first one, `patience` at most. */
  async state(patience: Promise<unknown>): Promise<PagesState> {
    const { file, now, checkedBytesMax = CHECKED_BYTES_MAX } = this.#options;
    if (this.#problem !== null) return { problem: this.#problem, note: null };
    const { size } = await stat(file);
    if (size > checkedBytesMax) return { problem: null, note: TOO_LARGE };
    if (this.#checking === null && now() - this.#checkedAtMs >= EVERY_MS) this.#begin();
    if (!this.#hasChecked) await Promise.race([this.#checking, patience]);
    return { problem: this.#problem, note: this.#hasChecked ? null : UNDER_WAY };
  }

  #begin(): void {
    this.#checkedAtMs = this.#options.now();
    this.#checking = checkInThread(this.#options.file).then((problem) => {
      this.#problem ??= problem;
      this.#hasChecked = true;
      this.#checking = null;
    });
  }
}

const TOO_LARGE =
  'The pages of the database are not checked while the server works, as it is large; "tutti doctor" checks them.';
const UNDER_WAY = 'The pages of the database are being checked.';

function checkInThread(file: string): Promise<string | null> {
  const entry = new URL(`./pages-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = startThread(entry, {
    name: 'pages check',
    workerData: file,
    resourceLimits: RESOURCE_LIMITS,
  });
  worker.unref();
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (error) => resolve(`The check failed: ${error.message}`));
    worker.once('exit', () => resolve(null));
  });
}
