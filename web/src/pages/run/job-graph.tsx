/** The jobs as a graph. Readers of screens have the list, which says all that it says. */
import { getRouteApi } from '@tanstack/react-router';
import { parseTimestamp } from '@tutti/manifests';
import {
  type Box,
  criticalPath,
  foldJobs,
  type Layout,
  layOut,
  neighbourOf,
  reachOf,
  SIZES,
} from '@tutti/run-graph';
import { Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useAddress } from './address.ts';
import styles from './job-graph.module.css';
import { shortName } from './job-list.tsx';
import { type JobPart, useRun } from './run-context.ts';

const jobsRoute = getRouteApi('/signed-in/runs/$runId/jobs');

const ZOOMS = [0.35, 0.5, 0.7, 1, 1.4] as const;
const MARGIN = 16;
const DIRECTIONS = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
} as const;

export function JobGraph() {
  const { doc } = useRun();
  const { job: selected } = jobsRoute.useSearch();
  const setAddress = useAddress();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState(3);
  const place = useRef<HTMLDivElement>(null);
  const byKey = useMemo(() => new Map(doc.jobs.map((job) => [job.key, job])), [doc]);
  const layout = useLayout(doc.jobs, opened);
  const path = useMemo(
    () =>
      new Set(
        criticalPath(
          doc.jobs.map(({ key, needs, ended }) => ({
            key,
            needs,
            endedAt: parseTimestamp(ended ?? ''),
          })),
        ),
      ),
    [doc],
  );
  const chosen = layout.boxes.findIndex((box) => isOf(box, selected));
  const reach = useMemo(() => (chosen < 0 ? null : reachOf(layout, chosen)), [layout, chosen]);
  const scale = ZOOMS[zoom] ?? 1;
  const choose = (box: Box) => {
    if (box.kind === 'similar') setOpened(new Set(opened).add(box.key));
    else void setAddress({ job: box.key }, { replace: selected !== undefined });
  };
  const press = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key as keyof typeof DIRECTIONS];
    const box = layout.boxes[chosen];
    if (event.key === 'Enter' && box?.kind === 'bundle') setOpened(new Set(opened).add(box.key));
    else if (direction === undefined) return;
    else {
      const next = neighbourOf(layout, box?.key ?? '', direction);
      const target = layout.boxes.find(({ key }) => key === next);
      if (target !== undefined) void setAddress({ job: target.jobs[0] ?? target.key });
    }
    event.preventDefault();
  };
  useEffect(() => {
    if (chosen < 0) return;
    place.current
      ?.querySelector('[data-chosen]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  const name = byKey.get(selected ?? '')?.name;
  return (
    <div className={styles.graph}>
      <div className={styles.bar}>
        <p>What needs what, from left to right. The list has the same jobs.</p>
        <Button
          kind="quiet"
          aria-label="Smaller"
          isDisabled={zoom === 0}
          onPress={() => setZoom(zoom - 1)}
        >
          <Minus aria-hidden size={16} />
        </Button>
        <Button
          kind="quiet"
          aria-label="Larger"
          isDisabled={zoom === ZOOMS.length - 1}
          onPress={() => setZoom(zoom + 1)}
        >
          <Plus aria-hidden size={16} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: no form field */}
      <div
        ref={place}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between the jobs
        tabIndex={0}
        aria-label={`Graph of jobs. Arrow keys move between them.${name === undefined ? '' : ` Chosen: ${name}.`}`}
        className={styles.place}
        onKeyDown={press}
      >
        <svg
          aria-hidden
          width={(layout.width + 2 * MARGIN) * scale}
          height={(layout.height + 2 * MARGIN) * scale}
          viewBox={`${-MARGIN} ${-MARGIN} ${layout.width + 2 * MARGIN} ${layout.height + 2 * MARGIN}`}
        >
          <Edges layout={layout} chosen={chosen} path={path} />
          {layout.boxes.map((box, index) =>
            box.kind === 'joint' ? null : (
              // biome-ignore lint/a11y/noStaticElementInteractions: hidden from readers of screens, and the group handles keys
              <g
                key={box.key}
                className={styles.box}
                transform={`translate(${box.x} ${box.y})`}
                data-state={stateOf(box, byKey)}
                data-chosen={index === chosen || undefined}
                data-path={path.has(box.key) || undefined}
                data-far={
                  (reach !== null &&
                    index !== chosen &&
                    !reach.before.has(index) &&
                    !reach.after.has(index)) ||
                  undefined
                }
                onClick={() => choose(box)}
                onDoubleClick={() =>
                  box.kind === 'bundle' && setOpened(new Set(opened).add(box.key))
                }
              >
                <rect width={box.width} height={SIZES.height} rx={7} />
                <BoxText box={box} jobs={byKey} />
              </g>
            ),
          )}
        </svg>
      </div>
    </div>
  );
}

const isOf = (box: Box, key: string | undefined): boolean =>
  key !== undefined && (box.key === key || (box.kind !== 'joint' && box.jobs.includes(key)));

/** A new layout only when the jobs, or the urgency of one, changed. */
function useLayout(jobs: readonly JobPart[], opened: ReadonlySet<string>): Layout {
  const input = jobs.map(({ key, needs, status }) => ({
    key,
    needs,
    isUrgent: status === 'FAILED' || status === 'RUNNING',
  }));
  const text = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the input
  return useMemo(() => layOut(foldJobs(input, { opened })), [text, opened]);
}

interface EdgesProps {
  readonly layout: Layout;
  readonly chosen: number;
  readonly path: ReadonlySet<string>;
}

/** One path for all faint edges: there may be thousands. */
function Edges({ layout: { boxes, edges }, chosen, path }: EdgesProps) {
  const reach = chosen < 0 ? null : reachOf({ edges }, chosen);
  const isStrong = ([from, to]: readonly [number, number]) =>
    reach !== null &&
    ((to === chosen || reach.before.has(to)) && reach.before.has(from)) !==
      ((from === chosen || reach.after.has(from)) && reach.after.has(to));
  const isCritical = ([from, to]: readonly [number, number]) =>
    path.has(boxes[from]?.key ?? '') && path.has(boxes[to]?.key ?? '');
  const line = ([from, to]: readonly [number, number]) => {
    const start = boxes[from];
    const end = boxes[to];
    if (start === undefined || end === undefined) return '';
    const x1 = start.x + start.width;
    const y1 = start.y + SIZES.height / 2;
    const y2 = end.y + SIZES.height / 2;
    const bend = Math.max(16, (end.x - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${end.x - bend} ${y2} ${end.x} ${y2}`;
  };
  const joints = boxes
    .filter(({ kind }) => kind === 'joint')
    .map(({ x, y, width }) => `M${x} ${y + SIZES.height / 2}h${width}`);
  return (
    <>
      <path className={styles.edge} d={[...edges.map(line), ...joints].join('')} />
      <path className={styles.critical} d={edges.filter(isCritical).map(line).join('')} />
      <path className={styles.strong} d={edges.filter(isStrong).map(line).join('')} />
    </>
  );
}

type Jobs = ReadonlyMap<string, JobPart>;

/** Of several jobs, the state that matters most. */
function stateOf(box: Box, jobs: Jobs): string {
  if (box.kind === 'job' || box.kind === 'bundle') {
    return jobs.get(box.key)?.status.toLowerCase() ?? 'waiting';
  }
  const states = new Set(box.jobs.map((key) => jobs.get(key)?.status));
  const first = (['FAILED', 'RUNNING', 'CANCELED', 'WAITING', 'SUCCEEDED'] as const).find((state) =>
    states.has(state),
  );
  return (first ?? 'SKIPPED').toLowerCase();
}

const NAME_MAX = 19;
const cut = (text: string): string =>
  text.length > NAME_MAX ? `${text.slice(0, NAME_MAX - 1)}…` : text;

const SIGNS: Readonly<Record<string, string>> = {
  SUCCEEDED: '✓',
  FAILED: '✗',
  RUNNING: '▶',
  WAITING: '⋯',
  SKIPPED: '○',
  CANCELED: '⊘',
};

function BoxText({ box, jobs }: { readonly box: Box; readonly jobs: Jobs }) {
  const job = jobs.get(box.kind === 'similar' ? (box.jobs[0] ?? '') : box.key);
  const name = job === undefined ? box.key : shortName(job);
  const own = box.jobs.flatMap((key) => jobs.get(key)?.status ?? []);
  const counts = Object.entries(SIGNS).flatMap(([status, sign]) => {
    const count = own.filter((each) => each === status).length;
    return count === 0 ? [] : [`${sign} ${count}`];
  });
  const second =
    box.kind === 'job'
      ? `${SIGNS[job?.status ?? ''] ?? ''} ${(job?.status ?? '').toLowerCase()}`
      : counts.join('  ');
  return (
    <>
      <title>{job?.name ?? box.key}</title>
      <text x={12} y={18} className={styles.boxName}>
        {cut(box.kind === 'similar' ? `${name} and ${box.jobs.length - 1} more` : name)}
      </text>
      <text x={12} y={35} className={styles.boxState}>
        {second}
      </text>
    </>
  );
}
