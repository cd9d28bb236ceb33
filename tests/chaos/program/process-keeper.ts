/** Keeps a process running in one place, as a supervisor does: whatever ends it, the next one starts. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Child, End } from '../../support/child.ts';

/** A process that is kept running: one of ours, or one of an existing program. */
export type KeptProcess = Pick<
  Child,
  'pid' | 'isRunning' | 'whenReady' | 'whenGone' | 'stderr' | 'kill'
>;

export interface Keeping<Kept extends KeptProcess> {
  readonly launch: () => Kept | Promise<Kept>;
  /** It said that it is ready. */
  readonly ready: (kept: Kept, said: string) => void;
  /** `isExpected`: somebody here ended it. */
  readonly ended: (kept: Kept, end: End, isExpected: boolean) => void;
  /** Between the end of one and the start of the next, in milliseconds, unless something else is said. */
  readonly backMs: number;
}

const LOOK_MS = 5;

export class ProcessKeeper<Kept extends KeptProcess> {
  readonly #keeping: Keeping<Kept>;
  readonly #expected = new WeakSet<Kept>();
  #current: Kept | null = null;
  #isOver = false;
  #backMs: number;
  #whenOver: Promise<void> = Promise.resolve();

  constructor(keeping: Keeping<Kept>) {
    this.#keeping = keeping;
    this.#backMs = keeping.backMs;
  }

  /** Resolves with the first process, which may not be ready. */
  async start(): Promise<Kept> {
    this.#whenOver = this.#keep();
    for (;;) {
      if (this.#current !== null) return this.#current;
      await pause(LOOK_MS);
    }
  }

  /** The process, if there is one now. */
  get running(): Kept | null {
    return this.#current?.isRunning === true ? this.#current : null;
  }

  /** Resolves when it is gone; the next one starts after this time. */
  async end(kept: Kept, signal: NodeJS.Signals, backMs = this.#keeping.backMs): Promise<void> {
    this.#expected.add(kept);
    this.#backMs = backMs;
    await kept.kill(signal);
  }

  /** Resolves when there is none any more, for good. */
  async finish(signal: NodeJS.Signals): Promise<void> {
    this.#isOver = true;
    if (this.#current !== null) await this.end(this.#current, signal, 0);
    await this.#whenOver;
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      const kept = await this.#keeping.launch();
      this.#current = kept;
      kept.whenReady.then(
        (said) => this.#keeping.ready(kept, said),
        () => undefined,
      );
      // It was being launched when all was over.
      if (this.#isOver) void this.end(kept, 'SIGKILL', 0);
      const end = await kept.whenGone;
      this.#keeping.ended(kept, end, this.#isOver || this.#expected.has(kept));
      await pause(this.#backMs);
      this.#backMs = this.#keeping.backMs;
    }
  }
}
