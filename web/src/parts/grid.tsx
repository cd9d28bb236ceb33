/**
 * A table of any length: only the rows near the view exist. Arrows, Home, End and PageUp and PageDown move, Enter opens, the space bar
 * selects. Arrows to the side move within a row. On narrow screens a row is a card.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import styles from './grid.module.css';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** A track of a CSS grid. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** The key of an order that the server knows; `-` before it reverses it. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Only readers of screens get the title. */
  readonly isTitleHidden?: boolean;
  /** Left out of a table that is narrow, as beside a panel. */
  readonly isExtra?: boolean;
}

export interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly total: number;
  /** Undefined while the row is not loaded. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Called with the rows near the view, the last one excluded. */
  readonly onRange?: (from: number, to: number) => void;
  readonly keyOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  readonly sort?: { readonly by: string; readonly onSort: (by: string) => void };
  readonly selection?: {
    readonly keys: ReadonlySet<string>;
    readonly onToggle: (row: Row) => void;
  };
}

const ROW_PX = 44;
const CARD_PX = 116;
/** As in the styles of the grid. */
const NARROW = matchMedia('(max-width: 48rem)');
const PAGE = 10;
const BARS_PX = 96;

export function Grid<Row>(props: GridProps<Row>) {
  const { label, columns, total, rowAt, onRange, keyOf, sort, selection } = props;
  const place = useRef<HTMLDivElement>(null);
  const { rows, offset } = useRows(place, total);
  // Rows follow the frame of the page, so that it does not wait for them.
  const isDrawn = useDeferredValue(true, false);
  const virtual = isDrawn ? rows.getVirtualItems() : [];
  const [from, to] = [virtual[0]?.index ?? 0, (virtual.at(-1)?.index ?? -1) + 1];
  useEffect(() => onRange?.(from, to), [onRange, from, to]);
  const { active, move, take, focusRef } = useActive(rows, total);
  const isActiveShown = virtual.some(({ index }) => index === active);
  return (
    <div
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-multiselectable={selection !== undefined || undefined}
      className={styles.grid}
      style={{
        '--columns': tracksOf(columns),
        '--core-columns': tracksOf(columns.filter(({ isExtra = false }) => !isExtra)),
      }}
    >
      <HeadRow columns={columns} sort={sort} />
      <div
        ref={place}
        role="rowgroup"
        className={styles.body}
        style={{ blockSize: rows.getTotalSize() }}
      >
        {virtual.map(({ index, start, size }) => {
          const row = rowAt(index);
          const isChosen = row !== undefined && selection?.keys.has(keyOf(row)) === true;
          return (
            <div
              key={index}
              ref={focusRef(index)}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selection === undefined ? undefined : isChosen}
              tabIndex={index === active || (!isActiveShown && index === from) ? 0 : -1}
              className={styles.row}
              style={{ blockSize: size, translate: `0 ${start - offset}px` }}
              onFocus={() => take(index)}
              {...rowActs(row, props, move)}
            >
              <Cells columns={columns} row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const tracksOf = (columns: readonly { readonly width: string }[]): string =>
  columns.map(({ width }) => width).join(' ');

/** Keys and clicks on a row. */
function rowActs<Row>(
  row: Row | undefined,
  { onOpen, selection }: Pick<GridProps<Row>, 'onOpen' | 'selection'>,
  move: (key: string) => boolean,
) {
  const act = (key: string): boolean => {
    if (row === undefined) return false;
    if (key === 'Enter') onOpen(row);
    else if (key === ' ' && selection !== undefined) selection.onToggle(row);
    else return false;
    return true;
  };
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const isOwn = event.target === event.currentTarget;
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const isDone = isPlain && (moveWithin(event) || move(event.key) || (isOwn && act(event.key)));
      if (isDone) event.preventDefault();
    },
    onClick: ({ target }: MouseEvent) => {
      if (row !== undefined && isPlainClick(target)) onOpen(row);
    },
  };
}

/** Moves the focus from a row to its links and controls, and back. */
function moveWithin({ key, target, currentTarget: row }: KeyboardEvent): boolean {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step === undefined) return false;
  const stops = [row, ...row.querySelectorAll('a, button, input')];
  const next = stops[stops.indexOf(target as Element) + step];
  if (next instanceof HTMLElement) next.focus();
  return true;
}

function Cells<Row>({
  columns,
  row,
}: {
  readonly columns: readonly Column<Row>[];
  readonly row: Row | undefined;
}) {
  if (row === undefined)
    return (
      <div role="gridcell" className={styles.loading}>
        <span className="hidden">loading</span>
      </div>
    );
  return columns.map(({ key, cell, isNumber = false, isExtra }) => (
    <div
      key={key}
      role="gridcell"
      data-column={key}
      data-extra={isExtra}
      className={isNumber ? styles.number : styles.cell}
    >
      {cell(row)}
    </div>
  ));
}

type Rows = ReturnType<typeof useWindowVirtualizer>;

/** The rows near the view. */
function useRows(place: { readonly current: HTMLElement | null }, total: number) {
  const isNarrow = useNarrow();
  const offset = useOffset(place);
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 8,
    scrollMargin: offset,
    // The bar of the page and the head of the table.
    scrollPaddingStart: BARS_PX,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of the other form have another height
  useEffect(() => rows.measure(), [isNarrow, rows]);
  return { rows, offset };
}

/** The row that has the focus, or would get it. */
function useActive(rows: Rows, total: number) {
  const [last, take] = useState(0);
  // Rows are rendered while the move is under way, too: none of those may take the focus.
  const target = useRef<number | null>(null);
  const active = Math.min(last, Math.max(0, total - 1));
  const move = (key: string): boolean => {
    const wanted = moveOf(key, active, total);
    if (wanted === null) return false;
    const next = Math.max(0, Math.min(total - 1, wanted));
    target.current = next;
    rows.scrollToIndex(next, { align: 'auto' });
    take(next);
    return true;
  };
  const focusRef = (index: number) => (node: HTMLElement | null) => {
    if (index !== target.current || node === null) return;
    target.current = null;
    node.focus({ preventScroll: true });
  };
  return { active, move, take, focusRef };
}

interface Head<Row> {
  readonly sort: GridProps<Row>['sort'] | undefined;
}

function HeadRow<Row>({ columns, sort }: Head<Row> & { readonly columns: readonly Column<Row>[] }) {
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.headRow}>
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} sort={sort} />
        ))}
      </div>
    </div>
  );
}

function HeadCell<Row>({ column, sort }: Head<Row> & { readonly column: Column<Row> }) {
  const { title, isNumber = false, isTitleHidden = false, isExtra, sort: key } = column;
  const order = key === undefined ? undefined : orderOf(key, sort?.by);
  return (
    <div
      role="columnheader"
      aria-sort={order}
      data-extra={isExtra}
      className={isNumber ? styles.number : styles.cell}
    >
      {key === undefined || sort === undefined ? (
        <span className={isTitleHidden ? 'hidden' : undefined}>{title}</span>
      ) : (
        <button type="button" onClick={() => sort.onSort(order === 'descending' ? key : `-${key}`)}>
          {title}
          <span aria-hidden>
            {order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}
          </span>
        </button>
      )}
    </div>
  );
}

function orderOf(key: string, by: string | undefined) {
  if (by === key) return 'ascending';
  return by === `-${key}` ? 'descending' : 'none';
}

function moveOf(key: string, active: number, total: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    j: active + 1,
    k: active - 1,
    PageDown: active + PAGE,
    PageUp: active - PAGE,
    Home: 0,
    End: total - 1,
  };
  return targets[key] ?? null;
}

/** True for a click on the row itself. Links and controls do their own work, and so does a selection of text. */
const isPlainClick = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.closest('a, button, input, label') === null &&
  getSelection()?.isCollapsed !== false;

function subscribeNarrow(reader: () => void): () => void {
  NARROW.addEventListener('change', reader);
  return () => NARROW.removeEventListener('change', reader);
}

const useNarrow = (): boolean => useSyncExternalStore(subscribeNarrow, () => NARROW.matches);

/** Where the rows begin in the page. */
function useOffset(place: { readonly current: HTMLElement | null }): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const measure = () =>
      setOffset(Math.round(current.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [place]);
  return offset;
}
