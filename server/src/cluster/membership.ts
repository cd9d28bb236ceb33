/**
 * The life of a replica among others. It sends heartbeats, finds the dead, and takes over where no replica is active. It ends when others
 * count it as dead. From then on it could only do harm.
 */
import type { Logger } from '../runtime/logger.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { Found, ReplicaTable } from './replica-table.ts';
import { type Member, RollCall } from './roll-call.ts';

export interface MembershipOptions {
  readonly me: string;
  readonly table: Pick<ReplicaTable, 'beat' | 'takeOver'>;
  readonly logger: Logger;
  /** Sees what each heartbeat has found. */
  readonly found: (found: Found) => void;
  /** This replica counts as dead. */
  readonly lost: () => void;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #call = new RollCall(CLUSTER_LIMITS.silentBeats);
  #timer: NodeJS.Timeout | null = null;
  #beating: Promise<void> | null = null;
  #taking: Promise<void> | null = null;
  #beatAtMs = performance.now();
  #isFailing = false;
  #isEnded = false;
  others: readonly Member[] = [];
  takeovers = 0;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Milliseconds since the last heartbeat that succeeded was sent. */
  get silentMs(): number {
    return performance.now() - this.#beatAtMs;
  }

  begin(): void {
    this.#beatAndNext();
  }

  /** A heartbeat now: something has changed. It does not count for the death of others, who cannot have sent one sooner. */
  async look(): Promise<void> {
    await this.#beating;
    if (!this.#isEnded) await this.#beatOnce('extra');
  }

  /** Others count this replica as dead, unless it leaves before. */
  async end(): Promise<void> {
    this.#isEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all([this.#beating, this.#taking]);
  }

  #beatAndNext(): void {
    void this.#beatOnce('regular').then(() => {
      if (!this.#isEnded) this.#timer = setTimeout(() => this.#beatAndNext(), BEAT_MS);
    });
  }

  #beatOnce(kind: 'regular' | 'extra'): Promise<void> {
    this.#beating ??= this.#beat(kind)
      .catch((error) => {
        this.#call.forget();
        if (!this.#isFailing) this.#options.logger.warn({ err: error }, 'A heartbeat failed.');
        this.#isFailing = true;
      })
      .finally(() => {
        this.#beating = null;
      });
    return this.#beating;
  }

  async #beat(kind: 'regular' | 'extra'): Promise<void> {
    const { table, me, found: show, lost } = this.#options;
    const sentAtMs = performance.now();
    const found = await table.beat();
    if (this.#isEnded) return;
    if (!found.isThere) return lost();
    this.#isFailing = false;
    this.#beatAtMs = sentAtMs;
    this.others = found.members.filter(({ replica }) => replica !== me);
    show(found);
    if (performance.now() - sentAtMs > CLUSTER_LIMITS.beatLateMs) this.#call.forget();
    const [dead = null] = kind === 'regular' ? this.#call.note(this.others) : [];
    const isOwned = found.members.some(({ replica }) => replica === found.owner);
    if (dead !== null || !isOwned) this.#takeOver(dead);
  }

  /** Heartbeats go on meanwhile. */
  #takeOver(dead: Member | null): void {
    const { table, logger } = this.#options;
    this.#taking ??= table
      .takeOver(dead)
      .then((isRemoved) => {
        if (dead === null || !isRemoved) return;
        this.takeovers += 1;
        logger.warn({ replica: dead.replica, address: dead.address }, 'A replica is dead.');
      })
      .catch((error) => logger.warn({ err: error }, 'A takeover failed. It is tried again.'))
      .finally(() => {
        this.#taking = null;
        void this.look();
      });
  }
}

const BEAT_MS = CLUSTER_LIMITS.beatMs;
