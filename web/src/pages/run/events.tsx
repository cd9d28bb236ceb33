/** The events of a run in their order. */
import { getRouteApi } from '@tanstack/react-router';
import type { LoggedEvent } from '@tutti/manifests';
import { linesOf } from '@tutti/run-view';
import { cleanLine } from '@tutti/run-view/text';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { Choice, SearchField } from '../../parts/choices.tsx';
import { type Column, Grid } from '../../parts/grid.tsx';
import { Empty, Placeholder } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import styles from './events.module.css';
import { useMoment } from './moments.tsx';
import { useRun } from './run-context.ts';
import { Scrolled } from './scrolled.tsx';

const eventsRoute = getRouteApi('/signed-in/runs/$runId/events');

interface Numbered {
  readonly seq: number;
  readonly event: LoggedEvent;
}

export function EventsPage() {
  const { runId, events, seq, story, isLong, link } = useRun();
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
  if (isLong)
    return (
      <Empty>
        This run has too many events for a page. Read them with <code>tutti status {runId}</code>.
      </Empty>
    );
  // The head of the page says what went wrong.
  if (story === null) return link.phase === 'failed' ? null : <Placeholder lines={8} />;
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
          <EventList shown={shown} />
        )}
        {open !== undefined && <EventPanel numbered={open} />}
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<Numbered>[] = [
  { key: 'seq', title: 'Number', width: '4.5rem', isNumber: true, cell: ({ seq }) => seq },
  {
    key: 'time',
    title: 'Time',
    width: '7rem',
    cell: ({ event }) => {
      const at = timeOf(event);
      return at === null ? '' : <Moment at={at} />;
    },
  },
  {
    key: 'kind',
    title: 'Kind',
    width: 'minmax(10.5rem, 1fr)',
    cell: ({ event }) => <span className={styles.kind}>{event.kind}</span>,
  },
  {
    key: 'about',
    title: 'About',
    width: 'minmax(0, 3fr)',
    cell: (numbered) => <About {...numbered} />,
  },
];

function EventList({ shown }: { readonly shown: readonly Numbered[] }) {
  const setAddress = useAddress();
  return (
    <Grid
      label="Events"
      columns={COLUMNS}
      total={shown.length}
      rowAt={(index) => shown[index]}
      keyOf={({ seq }) => String(seq)}
      onOpen={({ seq }) => void setAddress({ event: String(seq) }, { replace: false })}
    />
  );
}

function timeOf(event: LoggedEvent): string | null {
  const { metadata } = event as { readonly metadata?: { readonly creationTimestamp?: string } };
  return metadata?.creationTimestamp ?? null;
}

const TEXT_MAX = 300;

/** The event as the command line tells it, or its name. */
function About({ seq, event }: Numbered) {
  const { storyAt } = useRun();
  const before = storyAt(seq - 1);
  const after = storyAt(seq);
  const [line] = before === null || after === null ? [] : linesOf(before.view, event, after.view);
  const { metadata } = event as { readonly metadata?: Readonly<Record<string, unknown>> };
  const name = typeof metadata?.name === 'string' ? metadata.name : '';
  const text = line === undefined ? name : `${line.job === '' ? '' : `${line.job}: `}${line.text}`;
  return <bdi className={styles.about}>{cleanLine(text).slice(0, TEXT_MAX)}</bdi>;
}

const JSON_MAX = 100_000;

function EventPanel({ numbered: { seq, event } }: { readonly numbered: Numbered }) {
  const setAddress = useAddress();
  const show = useMoment();
  const at = timeOf(event);
  const text = JSON.stringify(event, null, 2);
  return (
    <aside className={styles.panel} aria-label="Event">
      <div className={styles.head}>
        <h2>
          {seq}. {event.kind}
        </h2>
        <Button
          kind="quiet"
          data-press="Escape"
          aria-label="Close the event"
          onPress={() => void setAddress({ event: undefined })}
        >
          <X aria-hidden size={16} />
        </Button>
      </div>
      <p className={styles.when}>
        {at !== null && <Moment at={at} />}
        <Button onPress={() => show(seq)}>Show the run at this event</Button>
      </p>
      <Scrolled label="Content" className={styles.json}>
        <pre>{text.slice(0, JSON_MAX)}</pre>
      </Scrolled>
      {text.length > JSON_MAX && <p>This is the beginning of the event.</p>}
    </aside>
  );
}
