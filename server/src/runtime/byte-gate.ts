/**
 * Bounds the bytes of all things in memory. An asker waits until there is room; askers take turns, so that a large one does not
 * block the others. A thing larger than the share counts as one share, and enters in its turn.
 */
import { OrchestratorError } from '@tutti/manifests';
import { Counts } from './counts.ts';
import { LIMITS } from './limits.ts';

export interface ByteGateOptions {
  readonly bytesMax: number;
  /** Share of one asker; its first thing always fits. */
  readonly shareMax: number;
  /** A caller that waits longer is refused. */
  readonly waitMs: number;
  /** Names the thing in the refusal. */
  readonly what: string;
}

/** Memory that is held. All methods may be called at any time, `leave` more than once. */
export interface HeldBytes {
  /** Sets the real size. */
  resize(bytes: number): void;
  /**
   * Waits for its turn to replace the held bytes; `resize` sets the new number. Until then the held bytes count, because the
   * asker still has them. Rejects as `enter` does.
   */
  readNext(): Promise<void>;
  leave(): void;
}

interface Asked {
  readonly bytes: number;
  /** Bytes that this asker holds and gives up for it. */
  readonly replaced: number;
  /** The size is unknown, and no other asker enters until it is known. */
  readonly isOpen: boolean;
  /** The bytes are in memory already while they wait. */
  readonly isMade?: boolean;
}

interface Waiting extends Asked {
  readonly enter: () => void;
}

export class ByteGate {
  readonly #options: ByteGateOptions;
  readonly #heldBy = new Counts();
  /** By who asks; the one whose turn is next is at the beginning. */
  readonly #waiting = new Map<string, Waiting[]>();
  #held = 0;
  /** Bytes that are already in memory and wait. */
  #made = 0;
  /** An admitted asker does not know its size yet. */
  #isOpen = false;

  constructor(options: ByteGateOptions) {
    this.#options = options;
  }

  get bytesMax(): number {
    return this.#options.bytesMax;
  }

  get held(): number {
    return this.#held;
  }

  /** Rejects with `ServiceUnavailable` when there is no room for too long. */
  async enter(who: string, bytes: number): Promise<HeldBytes> {
    await this.#turn(who, { bytes, replaced: 0, isOpen: false });
    return this.#hold(who, bytes);
  }

  /** Enters for an asker that is about to read. The asker sets the size later with `resize`. */
  async enterToRead(who: string, atLeast: number): Promise<HeldBytes> {
    await this.#turn(who, { bytes: atLeast, replaced: 0, isOpen: true });
    return this.#hold(who, atLeast, true);
  }

  /**
   * Enters for bytes that are already in memory. Waiting bytes have the same bounds, in total and for each asker; more is refused at once.
   * One thing of each asker may always wait.
   */
  async enterMade(who: string, bytes: number): Promise<HeldBytes> {
    await this.#turn(who, { bytes, replaced: 0, isOpen: false, isMade: true });
    return this.#hold(who, bytes);
  }

  /** An admitted asker counts at once, before the next one is checked. */
  #turn(who: string, asked: Asked): Promise<void> {
    if (this.#waiting.size === 0 && this.#fits(who, asked)) {
      this.#take(who, asked);
      return Promise.resolve();
    }
    if (asked.isMade === true && !this.#mayWait(who, asked.bytes)) {
      return Promise.reject(this.#refusal());
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#forget(who, waiting);
        reject(this.#refusal());
        // The removed asker may have blocked the others.
        this.#admit();
      }, this.#options.waitMs);
      const enter = () => {
        clearTimeout(timer);
        this.#take(who, asked);
        resolve();
      };
      const waiting = { ...asked, enter };
      const queue = this.#waiting.get(who);
      if (queue === undefined) this.#waiting.set(who, [waiting]);
      else queue.push(waiting);
      this.#made += madeBytes(waiting);
      this.#admit();
    });
  }

  #mayWait(who: string, bytes: number): boolean {
    const { bytesMax, shareMax } = this.#options;
    const own = (this.#waiting.get(who) ?? []).reduce((sum, one) => sum + madeBytes(one), 0);
    return own === 0 || (own + bytes <= shareMax && this.#made + bytes <= bytesMax);
  }

  #take(who: string, { bytes, replaced, isOpen }: Asked): void {
    this.#isOpen = isOpen;
    if (replaced === 0) this.#count(who, bytes);
  }

  #fits(who: string, { bytes, replaced }: Asked): boolean {
    if (this.#isOpen) return false;
    const own = this.#heldBy.of(who) - replaced;
    const isInShare = own === 0 || own + bytes <= this.#options.shareMax;
    return isInShare && this.#isRoom(bytes, replaced);
  }

  #isRoom(bytes: number, replaced: number): boolean {
    const others = this.#held - this.#counted(replaced);
    return others === 0 || others + this.#counted(bytes) <= this.#options.bytesMax;
  }

  /** An asker beyond its share, with one large thing, takes no more room from others. */
  #counted(own: number): number {
    return Math.min(own, this.#options.shareMax);
  }

  /** Memory of an admitted asker. */
  #hold(who: string, bytes: number, isOpen = false): HeldBytes {
    let held = bytes;
    let isStillOpen = isOpen;
    const resize = (next: number) => {
      this.#count(who, next - held);
      held = next;
      if (isStillOpen) this.#isOpen = false;
      isStillOpen = false;
      this.#admit();
    };
    return {
      resize,
      readNext: async () => {
        await this.#turn(who, { bytes: Math.min(bytes, held), replaced: held, isOpen: true });
        isStillOpen = true;
        // The asker left meanwhile.
        if (held === 0) resize(0);
      },
      leave: () => {
        if (held > 0 || isStillOpen) resize(0);
      },
    };
  }

  #count(who: string, bytes: number): void {
    const before = this.#heldBy.of(who);
    this.#held += this.#counted(this.#heldBy.add(who, bytes)) - this.#counted(before);
  }

  /** An asker that waits only for its own share lets others pass. One that waits for total room does not. */
  #admit(): void {
    for (const [who, queue] of [...this.#waiting]) {
      const [first] = queue;
      if (first === undefined) continue;
      if (this.#fits(who, first)) {
        this.#let(who, first);
        continue;
      }
      const isOwnShare = !this.#isOpen && this.#isRoom(first.bytes, first.replaced);
      if (!isOwnShare) break;
    }
    for (const [who, queue] of [...this.#waiting]) this.#letGoOn(who, queue);
  }

  /** A holder of much room that waits for its next piece goes first. The others wait for the room that it holds. */
  #letGoOn(who: string, queue: readonly Waiting[]): void {
    if (this.#isOpen) return;
    const next = queue.find((one) => one.replaced > 0 && this.#fits(who, one));
    if (next !== undefined) this.#let(who, next);
  }

  #let(who: string, waiting: Waiting): void {
    this.#forget(who, waiting);
    this.#toTheEnd(who);
    waiting.enter();
  }

  #forget(who: string, waiting: Waiting): void {
    const queue = this.#waiting.get(who) ?? [];
    const at = queue.indexOf(waiting);
    if (at !== -1) {
      queue.splice(at, 1);
      this.#made -= madeBytes(waiting);
    }
    if (queue.length === 0) this.#waiting.delete(who);
  }

  #toTheEnd(who: string): void {
    const queue = this.#waiting.get(who);
    if (queue === undefined) return;
    this.#waiting.delete(who);
    this.#waiting.set(who, queue);
  }

  #refusal(): OrchestratorError {
    const { what, bytesMax } = this.#options;
    return new OrchestratorError(
      'ServiceUnavailable',
      `The server has no memory left for ${what}: they may take ${bytesMax} bytes together. Try again later.`,
      { retryAfterSeconds: LIMITS.retryAfterSeconds },
    );
  }
}

const madeBytes = ({ isMade, bytes }: Asked): number => (isMade === true ? bytes : 0);
