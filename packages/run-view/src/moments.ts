/** The state of a run at any of its moments. A moment is a number of events: the state after the first so many. */

/** A fold from events to a state, which it never changes. */
export interface Fold<Event, State> {
  readonly empty: State;
  readonly next: (state: State, event: Event) => State;
}

/** States that are kept. Half of them are left after some were dropped, so this bounds the way to each moment. */
export const KEPT_MAX = 128;
const FIRST_DISTANCE = 256;

interface Moment<State> {
  readonly seq: number;
  readonly state: State;
}

/**
 * Folds the events of a run to any moment. It keeps a state every so many events, and folds on from the nearest one before the moment.
 * When there are too many, it drops every other one. Steps forward from the last asked moment cost one event each.
 */
export class Moments<Event, State> {
  readonly #fold: Fold<Event, State>;
  readonly #events: Event[] = [];
  #distance = FIRST_DISTANCE;
  /** States at multiples of the distance, from 0. */
  #kept: State[];
  #last: Moment<State>;

  constructor(fold: Fold<Event, State>) {
    this.#fold = fold;
    this.#kept = [fold.empty];
    this.#last = { seq: 0, state: fold.empty };
  }

  /** Number of events so far: the newest moment. */
  get length(): number {
    return this.#events.length;
  }

  add(events: Iterable<Event>): void {
    for (const event of events) this.#events.push(event);
  }

  /** The events behind one moment, up to another. */
  events(from = 0, to = this.length): readonly Event[] {
    return this.#events.slice(from, to);
  }

  /** The state after the first `seq` events, or the newest one if there are fewer. */
  at(seq = this.length): State {
    const wanted = Math.max(0, Math.min(Math.floor(seq), this.length));
    let { seq: reached, state } = this.#nearest(wanted);
    for (const event of this.#events.slice(reached, wanted)) {
      state = this.#fold.next(state, event);
      reached += 1;
      this.#keep(reached, state);
    }
    this.#last = { seq: wanted, state };
    return state;
  }

  #nearest(wanted: number): Moment<State> {
    const index = Math.min(Math.floor(wanted / this.#distance), this.#kept.length - 1);
    const seq = index * this.#distance;
    const isLastNearer = this.#last.seq <= wanted && this.#last.seq > seq;
    return isLastNearer ? this.#last : { seq, state: this.#kept[index] ?? this.#fold.empty };
  }

  #keep(seq: number, state: State): void {
    if (seq !== this.#kept.length * this.#distance) return;
    this.#kept.push(state);
    if (this.#kept.length <= KEPT_MAX) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#distance *= 2;
  }
}
