/** Times and durations as people read them. */
import { parseTimestamp } from '@tutti/manifests';
import { formatAge, formatDuration } from '@tutti/run-view/text';
import { useSecond } from '../data/second.ts';

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** Names of time zones cost some milliseconds, so only a moment under the pointer gets its title. */
function addTitle({ currentTarget }: { readonly currentTarget: HTMLTimeElement }): void {
  const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
  currentTarget.title = whole.format(new Date(currentTarget.dateTime));
}

interface MomentProps {
  readonly at: string;
}

/** A moment, as its time today, or with its day. The title has all of it, with the time zone. */
export function Moment({ at }: MomentProps) {
  const atMs = parseTimestamp(at);
  if (atMs === null) return <span>{at}</span>;
  const date = new Date(atMs);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} onPointerEnter={addTitle}>
      {isToday ? CLOCK.format(date) : `${DAY.format(date)}, ${CLOCK.format(date)}`}
    </time>
  );
}

/** The age of a moment: `5 min ago`. It counts on. */
export function Ago({ at }: MomentProps) {
  const now = useSecond();
  const atMs = parseTimestamp(at);
  if (atMs === null) return <span>{at}</span>;
  const date = new Date(atMs);
  return (
    <time dateTime={date.toISOString()} onPointerEnter={addTitle}>
      {formatAge(now - atMs)} ago
    </time>
  );
}

/** The time since a moment. It counts on. */
export function Since({ at }: MomentProps) {
  const now = useSecond();
  const atMs = parseTimestamp(at);
  return <span>{atMs === null ? at : formatDuration(Math.max(0, now - atMs))}</span>;
}

/** A duration in words. */
export const Duration = ({ ms }: { readonly ms: number }) => <span>{formatDuration(ms)}</span>;
