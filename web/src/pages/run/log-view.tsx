/** Lines of a log, of which only those in view exist. Browsers cannot hold a million rows, so the scroll bar of a long log maps to lines. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { LogGroup } from './log-folds.ts';
import type { LogLines, LogRow } from './log-lines.ts';
import styles from './log-view.module.css';
import { OutputLine } from './output-lines.tsx';

const LINE_PX = 20;
/** Elements of twice this height are cut by some browsers. */
const HEIGHT_MAX = 8_000_000;
const OVERSCAN = 15;

export interface LogViewHandle {
  /** Shows a line in the middle. */
  readonly show: (number: number) => void;
  readonly showEnd: () => void;
}

interface LogViewProps {
  readonly handle: Ref<LogViewHandle>;
  readonly lines: LogLines;
  /** The first and the last marked line. */
  readonly marked: readonly [from: number, to: number] | null;
  readonly hits: ReadonlySet<number>;
  readonly timeOf: (row: LogRow) => string;
  readonly nameOf: (row: LogRow) => string;
  /** Lines of a later time than the shown moment. */
  readonly isLater: (row: LogRow) => boolean;
  /** The lines below a title, which can be folded. */
  readonly groupOf: (row: LogRow) => LogGroup | undefined;
  readonly onFold: (number: number) => void;
  readonly onMark: (number: number, isRange: boolean) => void;
  readonly onFollow: (isFollowing: boolean) => void;
  readonly children?: ReactNode;
}

export function LogView(props: LogViewProps) {
  const { handle, lines, onFollow, children } = props;
  const { count, onRange } = lines;
  const { place, scroll, top, height, view, isAtEnd, goTo } = useScroll(count);
  const first = Math.max(0, Math.floor(top / LINE_PX) - OVERSCAN);
  const last = Math.min(count, Math.ceil((top + view) / LINE_PX) + OVERSCAN);
  useLayoutEffect(() => onRange(first, last), [onRange, first, last]);
  useLayoutEffect(() => onFollow(isAtEnd), [onFollow, isAtEnd]);
  const { indexOf } = lines;
  useImperativeHandle(handle, () => ({
    show: (number) => goTo(indexOf(number) * LINE_PX - view / 2 + LINE_PX),
    showEnd: () => goTo(Number.POSITIVE_INFINITY),
  }));
  const mark = (key: string): number | null => {
    const index = markByKey(key, props, Math.ceil(top / LINE_PX));
    if (index === null) return null;
    return Math.max(Math.min(top, index * LINE_PX), (index + 1) * LINE_PX - view);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { Home: 0, End: Number.POSITIVE_INFINITY }[event.key] ?? mark(event.key);
    if (to === null) return;
    goTo(to);
    event.preventDefault();
  };
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: no list of items */}
      <div
        ref={place}
        role="region"
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be able to have the focus
        tabIndex={0}
        className={styles.place}
        onKeyDown={press}
      >
        <div className={styles.space} style={{ blockSize: height }}>
          <div
            className={styles.rows}
            style={{ transform: `translateY(${scroll - (top - first * LINE_PX)}px)` }}
          >
            {rows.map((index) => (
              <Row key={index} row={lines.rowAt(index)} {...props} />
            ))}
          </div>
        </div>
      </div>
      {children}
    </div>
  );
}

const MARK_STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, J: 1, K: -1 };

/** Marks a line beside the marked ones, or the first one in view. Gives its place, or null. */
function markByKey(
  key: string,
  { lines, marked, onMark }: LogViewProps,
  firstInView: number,
): number | null {
  const step = MARK_STEPS[key];
  if (step === undefined) return null;
  const index = marked === null ? firstInView : lines.indexOf(marked[1]) + step;
  const row = lines.rowAt(Math.max(0, Math.min(index, lines.count - 1)));
  if (row === undefined) return null;
  onMark(row[0], key === 'J' || key === 'K');
  return lines.indexOf(row[0]);
}

/** Positions in lines and in the scroll bar. They are the same as long as the log is not too long. */
function useScroll(count: number) {
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(600);
  const whole = count * LINE_PX;
  const height = Math.min(whole, HEIGHT_MAX);
  const [{ scroll, top }, setPosition] = useState({ scroll: 0, top: 0 });
  const [isAtEnd, setAtEnd] = useState(true);
  const now = useRef({ scroll: 0, top: 0, whole, height, view });
  now.current = { ...now.current, whole, height, view };
  const read = useCallback(() => {
    const { current: node } = place;
    if (node === null) return;
    const { whole: all, height: shown, view: own } = now.current;
    const at = node.scrollTop;
    const end = Math.max(0, shown - own);
    const moved = at - now.current.scroll;
    const isFine = Math.abs(moved) < 2 * own;
    const mapped = end === 0 ? 0 : (at / end) * Math.max(0, all - own);
    // Small steps are exact, large ones are places in the whole log.
    const wanted = all <= HEIGHT_MAX ? at : isFine ? now.current.top + moved : mapped;
    const isEnd = at >= end - 1;
    const reached = at <= 0 ? 0 : isEnd ? Math.max(0, all - own) : wanted;
    const next = { scroll: at, top: Math.max(0, Math.min(reached, Math.max(0, all - own))) };
    now.current = { ...now.current, ...next };
    setPosition(next);
    setAtEnd(isEnd);
  }, []);
  const goTo = useCallback(
    (wanted: number) => {
      const { current: node } = place;
      if (node === null) return;
      const { whole: all, height: shown, view: own } = now.current;
      const target = Math.max(0, Math.min(wanted, all - own));
      const end = Math.max(1, all - own);
      const at = all <= HEIGHT_MAX ? target : (target / end) * (shown - own);
      now.current.scroll = Math.round(at);
      now.current.top = target;
      node.scrollTop = Math.round(at);
      read();
    },
    [read],
  );
  useLayoutEffect(() => {
    const { current: node } = place;
    if (node === null) return;
    const measure = () => {
      setView(node.clientHeight);
      now.current.view = node.clientHeight;
      read();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    node.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      node.removeEventListener('scroll', read);
    };
  }, [read]);
  // New lines are followed as long as the reader is at the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new lines move the view
  useLayoutEffect(() => {
    if (isAtEnd) goTo(Number.POSITIVE_INFINITY);
  }, [whole, view]);
  return { place, scroll, top, height, view, isAtEnd, goTo };
}

type RowProps = Omit<LogViewProps, 'handle' | 'lines' | 'children'> & {
  readonly row: LogRow | undefined;
};

/** Scrolling draws only rows that come into view. */
const Row = memo(function Row({
  row,
  marked,
  hits,
  timeOf,
  nameOf,
  isLater,
  groupOf,
  onFold,
  onMark,
}: RowProps) {
  if (row === undefined) return <div className={styles.row}>…</div>;
  const [number, , , text, rest] = row;
  const isMarked = marked !== null && number >= marked[0] && number <= marked[1];
  const name = nameOf(row);
  const time = timeOf(row);
  return (
    <div
      className={styles.row}
      data-marked={isMarked || undefined}
      data-hit={hits.has(number) || undefined}
      data-later={isLater(row) || undefined}
    >
      <button
        type="button"
        tabIndex={-1}
        className={styles.number}
        aria-label={`Mark line ${number}`}
        onClick={(event: MouseEvent) => onMark(number, event.shiftKey)}
      >
        {number}
      </button>
      {time !== '' && <span className={styles.time}>{time}</span>}
      {name !== '' && (
        <bdi className={styles.name} title={name}>
          {name}
        </bdi>
      )}
      <span className={styles.text}>
        <OutputLine text={text} />
        <Fold group={groupOf(row)} onFold={() => onFold(number)} />
        {rest !== undefined && (
          <em className={styles.cut}> … this line goes on: download the log</em>
        )}
      </span>
    </div>
  );
});

interface FoldProps {
  readonly group: LogGroup | undefined;
  readonly onFold: () => void;
}

/** Folds the lines below a title. */
function Fold({ group, onFold }: FoldProps) {
  if (group === undefined) return null;
  const { from, to, isFolded } = group;
  const Icon = isFolded ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      className={styles.fold}
      aria-expanded={!isFolded}
      aria-label={`${to - from} lines of this group`}
      onClick={onFold}
    >
      <Icon aria-hidden size={14} />
      {isFolded && <span className={styles.folded}>{to - from} lines</span>}
    </button>
  );
}
