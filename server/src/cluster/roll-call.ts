/**
 * Finds dead replicas by counting heartbeats. No clock is compared with another one. A database that stands still kills nobody, because no
 * heartbeat succeeds meanwhile.
 */

/** A replica as the database has it. */
export interface Member {
  readonly replica: string;
  /** `HOST:PORT` of its listener for other replicas. */
  readonly address: string;
  readonly version: string;
  readonly level: number;
  /** Digests of what should be the same on all replicas. */
  readonly configuration: string;
  readonly state: 'up' | 'leaving';
  /** Changes with each of its heartbeats. */
  readonly beat: number;
}

export class RollCall {
  readonly #silentBeats: number;
  /** The beat last seen of each other replica, and how often it was the same. */
  readonly #seen = new Map<string, { readonly beat: number; readonly times: number }>();

  constructor(silentBeats: number) {
    this.#silentBeats = silentBeats;
  }

  /** After a heartbeat that failed or came late: all others may have had to wait as well. */
  forget(): void {
    this.#seen.clear();
  }

  /** Takes what a heartbeat in time has found of the others. Returns those that are dead. */
  note(others: readonly Member[]): readonly Member[] {
    const ids = new Set(others.map(({ replica }) => replica));
    for (const replica of this.#seen.keys()) if (!ids.has(replica)) this.#seen.delete(replica);
    return others.filter(({ replica, beat }) => {
      const before = this.#seen.get(replica);
      const times = before?.beat === beat ? before.times + 1 : 0;
      this.#seen.set(replica, { beat, times });
      return times >= this.#silentBeats;
    });
  }
}
