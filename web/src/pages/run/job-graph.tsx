/** The jobs as a graph. Readers of screens have the list, which says all that it says. */
import { getRouteApi } from '@tanstack/react-router';
import { type Box, type Layout, neighbourOf, reachOf, SIZES } from '@tutti/run-graph';
import { Minus, Plus } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Button } from '../../parts/button.tsx';
import { Placeholder } from '../../parts/states.tsx';
import { useAddress } from './address.ts';
import { useCriticalPath } from './critical-path.ts';
import styles from './graph.module.css';
import { type Drawn, drawnOf, MARGIN, textsOf } from './graph-boxes.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { useLayout } from './graph-layout.ts';
import { GraphPicture } from './graph-picture.tsx';
import { useRun } from './run-context.ts';

const jobsRoute = getRouteApi('/signed-in/runs/$runId/jobs');

const ZOOMS = [0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4] as const;
const [ZOOM_OF_MANY, ZOOM_OF_FEW] = [2, 5] as const;
/** Browsers move no more elements fifty times a second. */
const ELEMENTS_MAX = 400;
const DIRECTIONS = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
} as const;

export function JobGraph() {
  const { doc } = useRun();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const layout = useLayout(doc.jobs, opened);
  const [chosenZoom, setZoom] = useState<number | null>(null);
  const isLarge = (layout?.boxes.length ?? 0) > ELEMENTS_MAX;
  const zoom = chosenZoom ?? (isLarge ? ZOOM_OF_MANY : ZOOM_OF_FEW);
  const open = ({ key }: Box) => setOpened(new Set(opened).add(key));
  return (
    <div className={styles.graph}>
      <div className={styles.bar}>
        <p>The jobs need each other from left to right. The list has the same jobs.</p>
        {opened.size > 0 && (
          <Button kind="quiet" onPress={() => setOpened(new Set())}>
            Fold again
          </Button>
        )}
        <ZoomButtons zoom={zoom} onZoom={setZoom} />
      </div>
      {layout === null ? (
        <Placeholder lines={8} />
      ) : (
        <Shown layout={layout} scale={ZOOMS[zoom] ?? 1} isLarge={isLarge} onOpen={open} />
      )}
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

interface ShownProps {
  readonly layout: Layout;
  readonly scale: number;
  readonly isLarge: boolean;
  readonly onOpen: (box: Box) => void;
}

function Shown({ layout, scale, isLarge, onOpen }: ShownProps) {
  const { doc } = useRun();
  const { job: selected } = jobsRoute.useSearch();
  const setAddress = useAddress();
  const path = useCriticalPath();
  const jobs = useMemo(() => new Map(doc.jobs.map((job) => [job.key, job])), [doc]);
  const chosen = layout.boxes.findIndex((box) => isOf(box, selected));
  const reach = useMemo(() => (chosen < 0 ? null : reachOf(layout, chosen)), [layout, chosen]);
  const drawn = useMemo(
    () => drawnOf({ layout, jobs, chosen, reach, path }),
    [layout, jobs, chosen, reach, path],
  );
  const choose = (box: Box) => {
    const isAgain = isOf(box, selected);
    if (box.kind === 'similar' || (box.kind === 'bundle' && isAgain)) onOpen(box);
    else void setAddress({ job: box.key }, { replace: selected !== undefined });
  };
  const Kind = isLarge ? GraphCanvas : GraphPicture;
  return (
    <GraphPlace drawn={drawn} scale={scale} onOpen={onOpen}>
      <Kind drawn={drawn} scale={scale} onChoose={choose} />
    </GraphPlace>
  );
}

interface PlaceProps {
  readonly drawn: Drawn;
  readonly scale: number;
  readonly onOpen: (box: Box) => void;
  readonly children: ReactNode;
}

/** The place that scrolls, in which arrow keys move between the jobs. */
function GraphPlace({ drawn, scale, onOpen, children }: PlaceProps) {
  const { layout, jobs, chosen } = drawn;
  const setAddress = useAddress();
  const place = useRef<HTMLDivElement>(null);
  const box = layout.boxes[chosen];
  const press = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key as keyof typeof DIRECTIONS];
    if (event.key === 'Enter' && box !== undefined && box.kind !== 'job') onOpen(box);
    else if (direction === undefined) return;
    else {
      const next = neighbourOf(layout, box?.key ?? '', direction);
      const target = layout.boxes.find(({ key }) => key === next);
      const job = target?.kind === 'similar' ? target.jobs[0] : target?.key;
      if (job !== undefined) void setAddress({ job });
    }
    event.preventDefault();
  };
  useScroll(place, { box, scale });
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form field
    <div
      ref={place}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between the jobs
      tabIndex={0}
      aria-label={`Graph of jobs. Arrow keys move between them.${box === undefined ? '' : ` Chosen: ${textsOf(box, jobs).whole}.`}`}
      className={styles.place}
      onKeyDown={press}
    >
      {children}
    </div>
  );
}

interface ScrollOptions {
  readonly box: Drawn['layout']['boxes'][number] | undefined;
  readonly scale: number;
}

/** Another scale keeps what is in the middle. A box that is chosen comes into sight. */
function useScroll(
  ref: { readonly current: HTMLDivElement | null },
  { box, scale }: ScrollOptions,
): void {
  const before = useRef(scale);
  useLayoutEffect(() => {
    const place = ref.current;
    if (place === null) return;
    const growth = scale / before.current;
    before.current = scale;
    const [halfX, halfY] = [place.clientWidth / 2, place.clientHeight / 2];
    place.scrollLeft = (place.scrollLeft + halfX) * growth - halfX;
    place.scrollTop = (place.scrollTop + halfY) * growth - halfY;
  }, [ref, scale]);
  const key = box?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a reader who scrolls away stays there
  useEffect(() => {
    const place = ref.current;
    if (place === null || box === undefined) return;
    const [left, top] = [box.x * scale, box.y * scale];
    const right = (box.x + box.width + 2 * MARGIN) * scale - place.clientWidth;
    const bottom = (box.y + SIZES.height + 2 * MARGIN) * scale - place.clientHeight;
    place.scrollLeft = Math.min(left, Math.max(right, place.scrollLeft));
    place.scrollTop = Math.min(top, Math.max(bottom, place.scrollTop));
  }, [ref, key]);
}

const isOf = (box: Box, key: string | undefined): boolean =>
  key !== undefined && (box.key === key || (box.kind !== 'joint' && box.jobs.includes(key)));
