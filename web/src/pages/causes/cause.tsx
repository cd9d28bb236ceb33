/** One cause: what does it look like, since when is it there, and where does it strike? */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import type { ReactNode } from 'react';
import { causeQuery, type OneCause } from '../../data/causes.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { PathLink, pathOfTest } from '../../parts/path-link.tsx';
import { RunLink } from '../../parts/run-link.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { SinceRun, Version } from '../tests/begin.tsx';
import styles from '../tests/tests.module.css';

const route = getRouteApi('/signed-in/causes/$causeId');

/** The first ones tell enough; the interface has the others. */
const SHOWN = 20;

export function CausePage() {
  const { causeId } = route.useParams();
  const { data: cause, error, refetch } = useQuery(causeQuery(causeId));
  if (cause === undefined && error !== null)
    return (
      <>
        <PageHead title="Cause" />
        <Problem error={error} onAgain={() => void refetch()} />
        <p>
          <Link to="/causes">All causes</Link>
        </p>
      </>
    );
  if (cause === undefined) return <Placeholder lines={8} />;
  return (
    <>
      <PageHead title={cleanLine(cause.metadata.name) || 'No message'}>
        <CopyCommand command={`tutti causes show ${causeId}`} />
      </PageHead>
      <Facts cause={cause} />
      <Band title="Sample">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
        <pre className={styles.sample} tabIndex={0}>
          <bdi>{cause.status.sample}</bdi>
        </pre>
      </Band>
      <Places cause={cause} />
    </>
  );
}

const Facts = ({ cause: { metadata, status } }: { readonly cause: OneCause }) => (
  <dl className={styles.facts}>
    <Fact title="Project">
      <Link to="/causes" search={{ project: metadata.project, namespace: metadata.namespace }}>
        {cleanLine(metadata.project)}
      </Link>{' '}
      in namespace {cleanLine(metadata.namespace)}
    </Fact>
    <Fact title="Failures">{status.failures}</Fact>
    <Fact title="New">
      <SinceRun begin={status.since} />
    </Fact>
    <Fact title="Last seen">
      <Moment at={status.last.at} /> on <Version of={status.last.version} />
    </Fact>
  </dl>
);

const Fact = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const Places = ({ cause: { status } }: { readonly cause: OneCause }) => (
  <>
    <Counted
      title="Tests"
      items={status.tests}
      keyOf={({ variant_id }) => variant_id}
      cell={({ test_id, suite, name, job }) => (
        <>
          <PathLink path={pathOfTest(test_id)}>{cleanLine(name) || 'Unnamed'}</PathLink>{' '}
          <span className={styles.muted}>
            {cleanLine(suite)}, job {cleanLine(job)}
          </span>
        </>
      )}
    />
    <Counted
      title="Versions"
      items={status.versions}
      keyOf={({ version }) => version ?? ''}
      cell={({ version }) => <Version of={version} />}
    />
    <Counted
      title="Environments"
      items={status.environments}
      keyOf={({ agent, tags }) => JSON.stringify([agent, tags])}
      cell={({ agent, tags }) => (
        <>
          {cleanLine(agent ?? 'no longer known')}{' '}
          <span className={styles.muted}>{cleanLine(tags.join(', '))}</span>
        </>
      )}
    />
    <Counted
      title="Runs"
      items={status.runs}
      keyOf={({ workflow_id, agent }) => `${workflow_id} ${agent}`}
      cell={({ workflow_id, at, version }) => (
        <>
          <RunLink id={workflow_id} /> <Moment at={at} />, <Version of={version} />
        </>
      )}
    />
  </>
);

interface CountedProps<Item> {
  readonly title: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly cell: (item: Item) => ReactNode;
}

/** A list of places, each with its failures. */
function Counted<Item extends { readonly failures: number }>({
  title,
  items,
  keyOf,
  cell,
}: CountedProps<Item>) {
  if (items.length === 0) return null;
  return (
    <Band title={title} count={items.length}>
      <ul className={styles.variants}>
        {items.slice(0, SHOWN).map((item) => (
          <li key={keyOf(item)}>
            <span>{item.failures} ×</span>
            <span>{cell(item)}</span>
          </li>
        ))}
        {items.length > SHOWN && <li>{items.length - SHOWN} more</li>}
      </ul>
    </Band>
  );
}
