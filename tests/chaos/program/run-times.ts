/** When the events of a run were really made, whatever the clock of the server said. */
import type { RunEvent } from '@tutti/manifests';
import type { RunRecord } from '../run-record.ts';
import type { Happenings } from './happenings.ts';

/** An event has its time when it is made, and its place when it is stored. It waits for a commit under way, as long as requests do at most. */
const ORDER_SLACK_MS = 10_000;

export interface RunTimes {
  readonly times: ReadonlyMap<RunEvent, number>;
  readonly problems: readonly string[];
}

/**
 * Two servers with different clocks may show the same time, so the order of the log decides. Each event gets the first possible time that
 * is not before the previous event. Nothing is before `fromMs`, when the run was asked for.
 */
export function timesOfRun(happenings: Happenings, run: RunRecord, fromMs: number): RunTimes {
  const times = new Map<RunEvent, number>();
  const problems: string[] = [];
  let latestMs = fromMs;
  for (const [place, event] of run.events.entries()) {
    const possible = happenings.trueTimes(event.metadata.creationTimestamp);
    const time = possible.find((ms) => ms >= latestMs - ORDER_SLACK_MS);
    if (time === undefined) {
      const why =
        possible.length === 0 ? 'is of no time of a server' : 'is older than one before it';
      problems.push(`its event ${place} ${why}`);
      continue;
    }
    times.set(event, time);
    latestMs = Math.max(latestMs, time);
  }
  return { times, problems };
}
