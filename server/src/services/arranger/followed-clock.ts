/**
 * Deadlines of runs are times of day, as the timestamps of their events are. When the clock of the system is set, or the machine slept, a timeout must
 * neither fire at once nor never: the deadlines that were known before move as far as the clock did. So a timeout
 * measures what passes while its server runs. After a restart deadlines are what the events say.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { MovedDeadlines } from '@tutti/workflow';
import type { Clock } from '../../runtime/clock.ts';

/** Less is a clock that is a little slow or fast, and what reading two clocks takes. */
const JUMP_MS = 1_000;
const NONE: MovedDeadlines = new Map();

export class FollowedClock implements Pick<Clock, 'now' | 'timestamp'> {
  readonly #clock: Clock;
  readonly #jumped: (ms: number) => void;
  readonly #moved = new Map<WorkflowId, Map<number, number>>();
  /** Of the time of day from the monotonic clock. */
  #offsetMs: number;

  /** `jumped` is called before a time from behind the jump is told; it calls `move` for the deadlines there are. */
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
