/** The jobs as a graph. Readers of screens have the list, which says all that it says. */
import { getRouteApi } from '@tanstack/react-router';
import {
  type Box,
  foldJobs,
  type Layout,
  layOut,
  neighbourOf,
  type PlacedBox,
  reachOf,
  SIZES,
} from '@tutti/run-graph';
import { Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useAddress } from './address.ts';
import { useCriticalPath } from './critical-path.ts';
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
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState(3);
  const layout = useLayout(doc.jobs, opened);
  const open = (box: Box) => setOpened(new Set(opened).add(box.key));
  const chosen = layout.boxes.findIndex((box) => isOf(box, selected));
  return (
    <div className={styles.graph}>
      <div className={styles.bar}>
        <p>The jobs need each other from left to right. The list has the same jobs.</p>
        <ZoomButtons zoom={zoom} onZoom={setZoom} />
      </div>
      <GraphPlace layout={layout} chosen={chosen} onOpen={open}>
        <Picture layout={layout} chosen={chosen} scale={ZOOMS[zoom] ?? 1} onOpen={open} />
      </GraphPlace>
    </div>
  );
}

interface ZoomProps {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

const ZoomButtons = ({ zoom, onZoom }: ZoomProps) => (
  <>
    <Button
      kind="quiet"
      aria-label="Smaller"
      isDisabled={zoom === 0}
      onPress={() => onZoom(zoom - 1)}
    >
      <Minus aria-hidden size={16} />
    </Button>
    <Button
      kind="quiet"
      aria-label="Larger"
      isDisabled={zoom === ZOOMS.length - 1}
      onPress={() => onZoom(zoom + 1)}
    >
      <Plus aria-hidden size={16} />
    </Button>
  </>
);

interface GraphProps {
  readonly layout: Layout;
  /** Index of the chosen box; -1 without one. */
  readonly chosen: number;
  readonly onOpen: (box: Box) => void;
}

/** The place that scrolls, in which arrow keys move between the jobs. */
function GraphPlace({
  layout,
  chosen,
  onOpen,
  children,
}: GraphProps & { readonly children: ReactNode }) {
  const { doc } = useRun();
  const setAddress = useAddress();
  const place = useRef<HTMLDivElement>(null);
  const box = layout.boxes[chosen];
  const press = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key as keyof typeof DIRECTIONS];
    if (event.key === 'Enter' && box?.kind === 'bundle') onOpen(box);
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
    const node = place.current?.querySelector('[data-chosen]');
    node?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  const name = doc.jobs.find(({ key }) => key === box?.key)?.name;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form field
    <div
      ref={place}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between the jobs
      tabIndex={0}
      aria-label={`Graph of jobs. Arrow keys move between them.${name === undefined ? '' : ` Chosen: ${name}.`}`}
      className={styles.place}
      onKeyDown={press}
    >
      {children}
    </div>
  );
}

function Picture({ layout, chosen, scale, onOpen }: GraphProps & { readonly scale: number }) {
  const { doc } = useRun();
  const path = useCriticalPath();
  const byKey = useMemo(() => new Map(doc.jobs.map((job) => [job.key, job])), [doc]);
  const reach = useMemo(() => (chosen < 0 ? null : reachOf(layout, chosen)), [layout, chosen]);
  const isFar = (index: number) =>
    reach !== null && index !== chosen && !reach.before.has(index) && !reach.after.has(index);
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  return (
    <svg
      aria-hidden
      width={width * scale}
      height={height * scale}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
    >
      <Edges layout={layout} chosen={chosen} path={path} />
      {layout.boxes.map((box, index) =>
        box.kind === 'joint' ? null : (
          <ShownBox
            key={box.key}
            box={box}
            jobs={byKey}
            onOpen={onOpen}
            data-chosen={index === chosen || undefined}
            data-path={path.has(box.key) || undefined}
            data-far={isFar(index) || undefined}
          />
        ),
      )}
    </svg>
  );
}

interface ShownBoxProps {
  readonly box: PlacedBox;
  readonly jobs: Jobs;
  readonly onOpen: (box: Box) => void;
  readonly 'data-chosen': true | undefined;
  readonly 'data-path': true | undefined;
  readonly 'data-far': true | undefined;
}

function ShownBox({ box, jobs, onOpen, ...marks }: ShownBoxProps) {
  const { job: selected } = jobsRoute.useSearch();
  const setAddress = useAddress();
  const choose = () => {
    if (box.kind === 'similar') onOpen(box);
    else void setAddress({ job: box.key }, { replace: selected !== undefined });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hidden from readers of screens, and the group handles keys
    <g
      className={styles.box}
      transform={`translate(${box.x} ${box.y})`}
      data-state={stateOf(box, jobs)}
      {...marks}
      onClick={choose}
      onDoubleClick={() => box.kind === 'bundle' && onOpen(box)}
    >
      <rect width={box.width} height={SIZES.height} rx={7} />
      <BoxText box={box} jobs={jobs} />
    </g>
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

/** The state that matters most, of several jobs. */
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
