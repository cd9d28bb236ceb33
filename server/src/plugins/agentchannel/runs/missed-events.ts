/** Events that come while the sessions are restored. They are handled afterwards, in their order. */

type Handle = (isLate: boolean) => void;

export class MissedEvents {
  #missed: Handle[] | null = [];

  handle(handle: Handle): void {
    if (this.#missed === null) handle(false);
    else this.#missed.push(handle);
  }

  /** Handles them, and from now on each at once. */
  makeUp(): void {
    const missed = this.#missed ?? [];
    this.#missed = null;
    for (const handle of missed) handle(true);
  }
}
