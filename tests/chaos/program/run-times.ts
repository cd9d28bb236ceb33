/** When the events of a run were really made, or stored, whatever the clock of the server said. */
import type { RunEvent } from '@tutti/manifests';
import type { RunRecord } from '../run-record.ts';

/** An event has its time when it is made, and its place when it is stored. It waits for a commit under way, as long as requests do at most. */
export const ORDER_SLACK_MS = 10_000;

export interface RunTimes {
  readonly times: ReadonlyMap<RunEvent, number>;
  readonly problems: readonly string[];
}

/**
 * The times of all events. `possible` has the true times of an event, by its place in the log. Each event gets the first of them that
 * is not before the previous event. Nothing is before `fromMs`, when the run was asked for.
 */
export function timesOfRun(
  { events }: RunRecord,
  possible: (event: RunEvent, place: number) => readonly number[],
  fromMs: number,
): RunTimes {
  const times = new Map<RunEvent, number>();
  const problems: string[] = [];
  let latestMs = fromMs;
  for (const [place, event] of events.entries()) {
    const found = possible(event, place);
    const time = found.find((ms) => ms >= latestMs - ORDER_SLACK_MS);
    if (time === undefined) {
      const why = found.length === 0 ? 'has no true time' : 'is older than one before it';
      problems.push(`its event ${place} ${why}`);
      continue;
    }
    times.set(event, time);
    latestMs = Math.max(latestMs, time);
  }
  return { times, problems };
}

/**
 * Whether the events of a job were made by clocks that differ. Deadlines are times of day, so they shift by the difference after
 * a takeover (docs/operate/replicas.md).
 */
export function hasOtherClock({ times }: RunTimes, jobId: string): boolean {
  const offsets = [...times].flatMap(([{ metadata }, trueMs]) =>
    'job_id' in metadata && metadata.job_id === jobId
      ? [Date.parse(`${metadata.creationTimestamp}Z`) - trueMs]
      : [],
  );
  return Math.max(...offsets) - Math.min(...offsets) > ORDER_SLACK_MS;
}
