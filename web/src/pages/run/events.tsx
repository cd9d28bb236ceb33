/** What exactly happened, and in which order? */
import { getRouteApi } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { LoggedEvent } from '@tutti/manifests';
import { X } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import styles from './events.module.css';
import { useMoment } from './moments.tsx';
import { useRun } from './run-context.ts';
import { Choice, SearchField } from './tests.tsx';

const eventsRoute = getRouteApi('/signed-in/runs/$runId/events');
const ROW_HEIGHT = 36;

interface Numbered {
  readonly seq: number;
  readonly event: LoggedEvent;
}

export function EventsPage() {
  const { events, seq, story } = useRun();
  const { kind, q, event: chosen } = eventsRoute.useSearch();
  const setAddress = useAddress();
  const all = useMemo(
    () => events(0, seq).map((event, at): Numbered => ({ seq: at + 1, event })),
    [events, seq],
  );
  const kinds = useMemo(() => [...new Set(all.map(({ event }) => event.kind))].sort(), [all]);
  const wanted = q?.toLowerCase();
  const shown = useMemo(
    () =>
      all.filter(
        ({ event }) =>
          (kind === undefined || event.kind === kind) &&
          (wanted === undefined || JSON.stringify(event).toLowerCase().includes(wanted)),
      ),
    [all, kind, wanted],
  );
  if (story === null) {
    return <Empty>This run has too many events for a page. Use `tutti status` to read them.</Empty>;
  }
  const open = all[Number(chosen) - 1];
  return (
    <div className={styles.page}>
      <div className={styles.filters} role="toolbar" aria-label="Filters">
        <Choice isChosen={kind === undefined} onChoose={() => void setAddress({ kind: undefined })}>
          All {all.length}
        </Choice>
        {kinds.map((name) => (
          <Choice
            key={name}
            isChosen={kind === name}
            onChoose={() => void setAddress({ kind: name })}
          >
            {name}
          </Choice>
        ))}
        <SearchField
          label="Text in an event"
          value={q ?? ''}
          onSearch={(text) => void setAddress({ q: text || undefined })}
        />
      </div>
      <div className={styles.both} data-open={open !== undefined || undefined}>
        {shown.length === 0 ? (
          <Empty>No event matches. Remove a filter to see more.</Empty>
        ) : (
          <EventList shown={shown} chosen={chosen} />
        )}
        {open !== undefined && <EventPanel numbered={open} />}
      </div>
    </div>
  );
}

interface EventListProps {
  readonly shown: readonly Numbered[];
  readonly chosen: string | undefined;
}

function EventList({ shown, chosen }: EventListProps) {
  const setAddress = useAddress();
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must have the focus
    <section ref={place} className={styles.list} aria-label="Events" tabIndex={0}>
      <ol className={styles.rows} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const row = shown[index];
          if (row === undefined) return null;
          const { seq, event } = row;
          return (
            <li
              key={seq}
              value={seq}
              style={{ transform: `translateY(${start}px)` }}
              aria-current={String(seq) === chosen}
            >
              <button
                type="button"
                className={styles.row}
                onClick={() => void setAddress({ event: String(seq) }, { replace: false })}
              >
                <span className={styles.seq}>{seq}</span>
                <span className={styles.kind}>{event.kind}</span>
                <bdi className={styles.about}>{aboutOf(event)}</bdi>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** What an event is about, in a few words. */
function aboutOf(event: LoggedEvent): string {
  const { metadata } = event as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { spec } = event as { readonly spec?: { readonly logs?: readonly unknown[] } };
  const name = typeof metadata?.name === 'string' ? metadata.name : '';
  const [line] = spec?.logs ?? [];
  return typeof line === 'string' ? `${name}: ${line}`.slice(0, 300) : name;
}

const JSON_MAX = 100_000;

function EventPanel({ numbered: { seq, event } }: { readonly numbered: Numbered }) {
  const setAddress = useAddress();
  const show = useMoment();
  const { metadata } = event as { readonly metadata?: { readonly creationTimestamp?: string } };
  const text = JSON.stringify(event, null, 2);
  return (
    <aside className={styles.panel} aria-label="Event">
      <div className={styles.head}>
        <h2>
          {seq}. {event.kind}
        </h2>
        <Button
          kind="quiet"
          aria-label="Close the event"
          onPress={() => void setAddress({ event: undefined })}
        >
          <X aria-hidden size={16} />
        </Button>
      </div>
      <p className={styles.when}>
        {metadata?.creationTimestamp !== undefined && <Moment at={metadata.creationTimestamp} />}
        <Button onPress={() => show(seq)}>Show the run at this event</Button>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must have the focus */}
      <pre className={styles.json} tabIndex={0} aria-label="Content">
        {text.slice(0, JSON_MAX)}
      </pre>
      {text.length > JSON_MAX && <p>This is the beginning of the event.</p>}
    </aside>
  );
}
