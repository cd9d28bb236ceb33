/**
 * Deadlines of runs are times of day, like the timestamps of events. A changed system clock or a sleeping machine must neither
 * fire a timeout at once nor lose it. So known deadlines move with the clock, and a timeout measures time while its server runs.
 * After a restart, deadlines follow from the events.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { MovedDeadlines } from '@tutti/workflow';
import type { Clock } from '../../runtime/clock.ts';

/** Smaller differences are drift of the clock, or the time to read two clocks. */
const JUMP_MS = 1_000;
const NONE: MovedDeadlines = new Map();

export class FollowedClock implements Pick<Clock, 'now' | 'timestamp'> {
  readonly #clock: Clock;
  readonly #jumped: (ms: number) => void;
  readonly #moved = new Map<WorkflowId, Map<number, number>>();
  /** Difference between the time of day and the monotonic clock. */
  #offsetMs: number;

  /** `jumped` is called before a time after the jump is returned; it calls `move` for the present deadlines. */
  constructor(clock: Clock, jumped: (ms: number) => void) {
    this.#clock = clock;
    this.#jumped = jumped;
    this.#offsetMs = clock.now() - clock.monotonicMs();
  }

  now(): number {
    this.#follow();
    return this.#clock.now();
  }

  timestamp(): Timestamp {
    this.#follow();
    return this.#clock.timestamp();
  }

  #follow(): void {
    const offsetMs = this.#clock.now() - this.#clock.monotonicMs();
    const jumpMs = offsetMs - this.#offsetMs;
    if (Math.abs(jumpMs) < JUMP_MS) return;
    this.#offsetMs = offsetMs;
    this.#jumped(jumpMs);
  }

  move(workflowId: WorkflowId, deadlines: readonly number[], ms: number): void {
    if (deadlines.length === 0) return;
    const before = this.movedOf(workflowId);
    const moved = deadlines.map(
      (deadlineMs) => [deadlineMs, (before.get(deadlineMs) ?? deadlineMs) + ms] as const,
    );
    this.#moved.set(workflowId, new Map([...before, ...moved]));
  }

  movedOf(workflowId: WorkflowId): MovedDeadlines {
    return this.#moved.get(workflowId) ?? NONE;
  }

  forget(workflowId: WorkflowId): void {
    this.#moved.delete(workflowId);
  }
}
