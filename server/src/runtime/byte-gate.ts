/**
 * Lets so much into memory at a time that its bytes stay below a bound. Who finds no room waits; those who ask take turns, so that one who asks
 * for much does not keep the others waiting. What alone is larger than a share counts as one: it is let in when its turn comes.
 */
import { OrchestratorError } from '@tutti/manifests';
import { Counts } from './counts.ts';
import { LIMITS } from './limits.ts';

export interface ByteGateOptions {
  readonly bytesMax: number;
  /** Of one who asks; the first of it always counts as fitting. */
  readonly shareMax: number;
  /** A caller that waits longer is refused. */
  readonly waitMs: number;
  /** Names the thing in the refusal. */
  readonly what: string;
}

/** What is held. All may be called at any time, and `leave` more than once. */
export interface HeldBytes {
  /** It turned out to be more, or less. */
  resize(bytes: number): void;
  /**
   * Waits for its turn to read what takes the place of what is held, and is told by `resize`. Until then, what is held counts: who waits
   * still has it. Rejects as `enter` does.
   */
  readNext(): Promise<void>;
  leave(): void;
}

interface Asked {
  readonly bytes: number;
  /** Held by the same one already, and given up for it. */
  readonly replaced: number;
  /** Nobody knows yet how much it will be: until that is known, nobody else enters. */
  readonly isOpen: boolean;
  /** It is in memory already while it waits. */
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
  /** Of what is in memory and waits, in bytes. */
  #made = 0;
  /** Somebody entered who does not know yet how much he holds. */
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

  /** The same for who is about to read something, and says then by `resize` how much it is. */
  async enterToRead(who: string, atLeast: number): Promise<HeldBytes> {
    await this.#turn(who, { bytes: atLeast, replaced: 0, isOpen: true });
    return this.#hold(who, atLeast, true);
  }

  /**
   * The same for what is in memory already. Of that only so much waits as may enter, and of one who asks as much as its share; what is more
   * is refused at once. One thing of each who asks may wait in any case.
   */
  async enterMade(who: string, bytes: number): Promise<HeldBytes> {
    await this.#turn(who, { bytes, replaced: 0, isOpen: false, isMade: true });
    return this.#hold(who, bytes);
  }

  /** Whoever has his turn counts from then on, before anybody else is asked. */
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
        // It may have been the one that the others waited for.
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

  /** One who has more than his share, as something is larger than that, takes no more of the room of the others. */
  #counted(own: number): number {
    return Math.min(own, this.#options.shareMax);
  }

  /** Of who had his turn. */
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
        // It left meanwhile.
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

  /** Whose turn it is and who is only held up by his own share lets others pass; who waits for room in all does not. */
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

  /** Whoever holds much and waits for its next piece passes those before it: they wait for the room that it holds until it is through. */
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
