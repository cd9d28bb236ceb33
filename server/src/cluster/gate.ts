/**
 * Says where a request is handled: here, at another replica, or nowhere yet. It counts the requests under way here, so that a replica can
 * hand over when they are done. An active replica without heartbeats may have been replaced. It knows nothing of what came since, and an
 * agent would take its refusal for the truth. So requests wait.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OrchestratorError } from '@tutti/manifests';
import { CLUSTER_LIMITS } from './limits.ts';

/** `here`, or the address of another replica. */
export type Place = 'here' | { readonly address: string };

export class Gate {
  #place: Place | null = null;
  readonly #waiting = new Set<() => void>();
  readonly #underWay = new Set<IncomingMessage>();
  readonly #isSure: () => boolean;
  #isEnded = false;

  /** `isSure`: no other replica can be active while this one is. */
  constructor(isSure: () => boolean) {
    this.#isSure = isSure;
  }

  /** This replica is the active one, as far as it knows. */
  get isOurs(): boolean {
    return this.#place === 'here';
  }

  /** Requests are handled here now. */
  get isHere(): boolean {
    return this.isOurs && this.#isSure();
  }

  get isOpen(): boolean {
    return this.#place !== null;
  }

  /** Null while no replica is active. */
  move(place: Place | null): void {
    if (isSame(this.#place, place)) return;
    this.#place = place;
    if (place !== null) this.wakeAll();
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.#isEnded = true;
    this.wakeAll();
  }

  /** Lets requests look again. */
  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for an active replica, for as long as requests do. Rejects with `ServiceUnavailable` then. */
  async place(untilMs: number): Promise<Place> {
    while (this.#place === null || (this.isOurs && !this.isHere)) {
      if (this.#isEnded || performance.now() >= untilMs) throw noneActive();
      await this.#changed(untilMs - performance.now());
    }
    return this.#place;
  }

  /** Counts a request that is handled here until its answer was sent. */
  enter(request: IncomingMessage, answer: ServerResponse): void {
    this.#underWay.add(request);
    answer.on('close', () => this.#underWay.delete(request));
  }

  get hasComingBodies(): boolean {
    return [...this.#underWay].some(({ complete }) => !complete);
  }

  get isEmpty(): boolean {
    return this.#underWay.size === 0;
  }

  #changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(withinMs, CLUSTER_LIMITS.patienceMs));
      this.#waiting.add(wake);
    });
  }
}

function isSame(one: Place | null, other: Place | null): boolean {
  if (one === null || other === null || one === 'here' || other === 'here') return one === other;
  return one.address === other.address;
}

export const noneActive = (): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    'No replica of the server is active. Try again later.',
    { retryAfterSeconds: 1 },
  );

/** When a request that comes now has waited long enough. */
export const patienceEnd = (): number => performance.now() + CLUSTER_LIMITS.patienceMs;
