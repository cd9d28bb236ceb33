/** When jobs waited and ran. Times without any event are folded. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { parseTimestamp } from '@tutti/manifests';
import { criticalPath } from '@tutti/run-graph';
import { formatDuration } from '@tutti/run-view/text';
import { useMemo } from 'react';
import { useSecond } from '../../data/second.ts';
import { Empty } from '../../parts/states.tsx';
import { shortName } from './job-list.tsx';
import { type JobPart, useRun } from './run-context.ts';
import styles from './timeline.module.css';

const jobsRoute = getRouteApi('/signed-in/runs/$runId/jobs');

interface Span {
  readonly kind: 'wait' | 'setup' | 'step' | 'failed' | 'release';
  readonly from: number;
  readonly to: number;
}

const ms = (text: string | null): number | null => parseTimestamp(text ?? '');

export function Timeline() {
  const { runId, kept, doc, isPast } = useRun();
  const { job: selected } = jobsRoute.useSearch();
  const now = useSecond();
  const isOpen = doc.run.ended === null;
  const end = isOpen && !isPast ? now : (ms(doc.run.ended) ?? ms(doc.at) ?? now);
  const rows = useMemo(() => {
    const stepsOf = Map.groupBy(doc.steps, ({ job }) => job);
    return doc.jobs
      .filter(({ jobs }) => jobs === null)
      .map((job) => ({ job, spans: spansOf(job, stepsOf.get(job.key) ?? [], end) }))
      .filter(({ spans }) => spans.length > 0)
      .toSorted((left, right) => (left.spans[0]?.from ?? 0) - (right.spans[0]?.from ?? 0));
  }, [doc, end]);
  const path = useMemo(
    () =>
      new Set(
        criticalPath(doc.jobs.map(({ key, needs, ended }) => ({ key, needs, endedAt: ms(ended) }))),
      ),
    [doc],
  );
  const axis = useMemo(() => axisOf(rows.flatMap(({ spans }) => spans)), [rows]);
  if (rows.length === 0) return <Empty>No job has asked for an environment yet.</Empty>;
  return (
    <div className={styles.timeline}>
      <ul className={styles.legend} aria-label="Colours">
        <li data-kind="wait">waiting</li>
        <li data-kind="setup">preparing</li>
        <li data-kind="step">steps</li>
        <li data-kind="failed">failed step</li>
        <li data-kind="release">cleaning up</li>
        <li data-kind="path">decided the duration of the run</li>
      </ul>
      <ol className={styles.rows}>
        {rows.map(({ job, spans }) => (
          <li key={job.key} data-chosen={job.key === selected || undefined}>
            <Link
              to="/runs/$runId/jobs"
              params={{ runId }}
              search={{ ...kept, view: 'timeline', job: job.key }}
              className={styles.name ?? ''}
              data-path={path.has(job.key) || undefined}
              title={job.name}
            >
              <bdi>{shortName(job)}</bdi>
            </Link>
            <span className={styles.track} aria-hidden>
              {axis.gaps.map((gap) => (
                <span
                  key={gap.at}
                  className={styles.gap}
                  style={{ insetInlineStart: `${gap.place * 100}%` }}
                  title={`${formatDuration(gap.length)} without events`}
                />
              ))}
              {spans.map((span) => (
                <span
                  key={`${span.kind} ${span.from}`}
                  className={styles.span}
                  data-kind={span.kind}
                  style={{
                    insetInlineStart: `${axis.placeOf(span.from) * 100}%`,
                    inlineSize: `max(2px, ${(axis.placeOf(span.to) - axis.placeOf(span.from)) * 100}%)`,
                  }}
                />
              ))}
            </span>
            <span className={styles.words}>{wordsOf(spans)}</span>
          </li>
        ))}
      </ol>
      {axis.gaps.map((gap) => (
        <p key={gap.at} className={styles.note}>
          Folded: {formatDuration(gap.length)} without events.
        </p>
      ))}
    </div>
  );
}

function spansOf(
  job: JobPart,
  steps: readonly {
    readonly status: string;
    readonly started: string | null;
    readonly ended: string | null;
    readonly origin: readonly string[];
  }[],
  end: number,
): readonly Span[] {
  const requested = ms(job.requested);
  const placed = ms(job.placed);
  const ended = ms(job.ended);
  const released = ms(job.released);
  const last = ended ?? end;
  const outer = steps.filter(({ origin, status }) => origin.length === 0 && status !== 'SKIPPED');
  const first = ms(outer[0]?.started ?? null);
  const spans: Span[] = [];
  const add = (kind: Span['kind'], from: number | null, to: number | null) => {
    if (from !== null && to !== null && to > from) spans.push({ kind, from, to });
  };
  add('wait', requested, placed ?? last);
  add('setup', placed, first ?? released ?? last);
  for (const { status, started, ended: over } of outer) {
    add(status === 'FAILED' ? 'failed' : 'step', ms(started), ms(over) ?? last);
  }
  add('release', released, ended ?? (released === null ? null : last));
  return spans;
}

function wordsOf(spans: readonly Span[]): string {
  const sum = (kinds: readonly Span['kind'][]) =>
    spans
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((all, { from, to }) => all + to - from, 0);
  const waited = sum(['wait']);
  const ran = sum(['setup', 'step', 'failed', 'release']);
  if (ran === 0) return `waits for ${formatDuration(waited)}`;
  return `${formatDuration(ran)}${waited >= 1_000 ? ` after waiting ${formatDuration(waited)}` : ''}`;
}

/** A pause is folded if it takes more than a fifth of the time, and more than a minute. */
const GAP_SHARE = 0.2;
const GAP_MIN_MS = 60_000;
/** The part of the width that a folded pause takes. */
const GAP_PLACE = 0.02;

function axisOf(spans: readonly Span[]) {
  const busy = spans
    .filter(({ kind }) => kind !== 'wait')
    .toSorted((left, right) => left.from - right.from);
  const start = Math.min(...spans.map(({ from }) => from));
  const end = Math.max(...spans.map(({ to }) => to));
  const whole = Math.max(1, end - start);
  const found: { at: number; length: number }[] = [];
  let reached = start;
  for (const { from, to } of busy) {
    const length = from - reached;
    if (length > whole * GAP_SHARE && length > GAP_MIN_MS) found.push({ at: reached, length });
    reached = Math.max(reached, to);
  }
  const shown = whole - found.reduce((sum, { length }) => sum + length, 0);
  const width = 1 - found.length * GAP_PLACE;
  const placeOf = (time: number): number => {
    let before = time - start;
    let place = 0;
    for (const { at, length } of found) {
      if (time <= at) break;
      const inside = Math.min(length, time - at);
      before -= inside;
      place += (inside / length) * GAP_PLACE;
    }
    return place + (before / Math.max(1, shown)) * width;
  };
  return {
    placeOf,
    gaps: found.map(({ at, length }) => ({ at, length, place: placeOf(at) })),
  };
}
