/** The moments of a run as a slider. The address has the chosen one, so a link shows it to others. */
import { parseTimestamp } from '@tutti/manifests';
import type { Mark } from '@tutti/run-view';
import { formatDuration } from '@tutti/run-view/text';
import { Pause, Play, SkipForward } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useAddress } from './address.ts';
import styles from './moments.module.css';
import { type RunAt, useRun } from './run-context.ts';

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const NUMBERS = new Intl.NumberFormat();
/** Browsers refuse more changes of an address than about twenty a second. */
const ADDRESS_INTERVAL_MS = 100;
/** A whole run is played in this time. */
const PLAY_MS = 20_000;
const PLAY_STEP_MS = 200;

export function Moments() {
  const run = useRun();
  const { seq, total } = run;
  const show = useMoment();
  if (total < 2) return null;
  return (
    <section aria-label="Moments" className={styles.moments} data-past={run.isPast || undefined}>
      <div className={styles.line}>
        <PlayButton run={run} show={show} />
        <div className={styles.track}>
          <ShownTicks marks={run.marks} total={total} />
          <input
            type="range"
            aria-label="Moment of the run"
            aria-valuetext={momentText(run)}
            min={1}
            max={total}
            value={seq}
            onChange={({ target }) =>
              show(Number(target.value) >= total ? null : target.valueAsNumber)
            }
          />
        </div>
        {!run.isPast && <span className={styles.hint}>{NUMBERS.format(total)} events</span>}
        {run.isPast && (
          <Button onPress={() => show(null)}>
            <SkipForward aria-hidden size={14} />
            To the end
          </Button>
        )}
      </div>
      {run.isPast && <p className={styles.text}>The run as it was {momentText(run)}.</p>}
    </section>
  );
}

function momentText({ doc, seq, total }: RunAt): string {
  const at = parseTimestamp(doc.at ?? '');
  const started = parseTimestamp(doc.run.started ?? '');
  const time = at === null ? '' : `, ${CLOCK.format(at)}`;
  const since =
    at === null || started === null ? '' : `, ${formatDuration(at - started)} after its start`;
  return `at event ${NUMBERS.format(seq)} of ${NUMBERS.format(total)}${time}${since}`;
}

/** The moment that was asked for last, by a key, the slider or a button. The address has it after the timer. */
const asked: { seq: number | null; timer?: ReturnType<typeof setTimeout> | undefined } = {
  seq: null,
};

function forget(): void {
  clearTimeout(asked.timer);
  asked.timer = undefined;
}

/** Shows a moment: null is the newest one. The address follows as fast as the browser lets it. */
export function useMoment(): (seq: number | null) => void {
  const setAddress = useAddress();
  useEffect(() => forget, []);
  return (seq) => {
    asked.seq = seq;
    if (asked.timer !== undefined) return;
    const apply = () => void setAddress({ at: asked.seq?.toString() });
    apply();
    asked.timer = setTimeout(() => {
      asked.timer = undefined;
      if (asked.seq !== seq) apply();
    }, ADDRESS_INTERVAL_MS);
  };
}

const WIDTH = 1_000;

/** One path for each kind: a run may have thousands of marks. */
function Ticks({ marks, total }: { readonly marks: readonly Mark[]; readonly total: number }) {
  const placeOf = ({ seq }: Mark) => Math.round(((seq - 1) / Math.max(1, total - 1)) * WIDTH);
  const pathOf = (kind: Mark['kind'], top: number) => {
    const places = new Set(marks.filter((mark) => mark.kind === kind).map(placeOf));
    return [...places].map((x) => `M${x} ${top}V16`).join('');
  };
  return (
    <svg
      aria-hidden
      className={styles.ticks}
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
    >
      <path data-kind="wait" d={pathOf('wait', 10)} />
      <path data-kind="start" d={pathOf('start', 8)} />
      <path data-kind="end" d={pathOf('end', 6)} />
      <path data-kind="failure" d={pathOf('failure', 0)} />
    </svg>
  );
}

/** Ticks stay while the reader moves along them. A list of marks that grows is the same list, but then the total grows, too. */
const ShownTicks = memo(Ticks);

interface PlayProps {
  readonly run: RunAt;
  readonly show: (seq: number | null) => void;
}

/** Replays the run within some seconds, from the shown moment or from the beginning. */
function PlayButton({ run, show }: PlayProps) {
  const [isPlaying, setPlaying] = useState(false);
  const { seq, total, isPast } = run;
  const step = Math.max(1, Math.ceil((total * PLAY_STEP_MS) / PLAY_MS));
  useEffect(() => {
    if (!isPlaying) return;
    if (!isPast && seq >= total) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => show(seq + step >= total ? null : seq + step), PLAY_STEP_MS);
    return () => clearTimeout(timer);
  });
  const press = () => {
    if (!isPlaying && !isPast) show(1);
    setPlaying(!isPlaying);
  };
  return (
    <Button
      kind="quiet"
      aria-label={isPlaying ? 'Stop the replay' : 'Replay the run'}
      onPress={press}
    >
      {isPlaying ? <Pause aria-hidden size={16} /> : <Play aria-hidden size={16} />}
    </Button>
  );
}
