/** Counts the request classes of a namespace and their matching channels: each match takes some 50 bytes. */

/** Classes of one namespace: sets of tags that its jobs ask for at one time. */
export const CLASSES_MAX = 2_000;
/** Channels that match the classes of one namespace, each counted for each class: 50 MB. */
export const MATCHES_MAX = 1_000_000;

interface Counts {
  readonly classes: number;
  readonly matches: number;
}

const NONE: Counts = { classes: 0, matches: 0 };

export class ClassCounts {
  readonly #counts = new Map<string, Counts>();

  add(namespace: string, { classes, matches }: Counts): void {
    const before = this.#of(namespace);
    const now = { classes: before.classes + classes, matches: before.matches + matches };
    if (now.classes === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, now);
  }

  /** Whether the namespace may have one more class. */
  hasRoom(namespace: string): boolean {
    return this.#of(namespace).classes < CLASSES_MAX && !this.isCrowded(namespace);
  }

  /** Whether one more channel is too much for the classes of the namespace. */
  isCrowded(namespace: string): boolean {
    return this.#of(namespace).matches >= MATCHES_MAX;
  }

  #of(namespace: string): Counts {
    return this.#counts.get(namespace) ?? NONE;
  }
}
