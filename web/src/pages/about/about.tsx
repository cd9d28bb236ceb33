/** About: which version is this, and of what is it made? */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask, SERVER } from '../../data/api.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import styles from './about.module.css';

interface Component {
  readonly name: string;
  readonly version?: string;
}

interface Bill {
  readonly items: {
    readonly name: string;
    readonly version?: string;
    readonly 'internal-components'?: readonly Component[];
  };
}

const billQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => ask<Bill>({ path: '/version', signal }),
  staleTime: 600_000,
});

export function AboutPage() {
  const { data, error, refetch } = useQuery(billQuery);
  return (
    <>
      <PageHead title="About" />
      {error !== null && <Problem error={error} onAgain={() => void refetch()} />}
      {data === undefined && error === null && <Placeholder lines={4} />}
      {data !== undefined && <Versions {...data.items} />}
      <p className={styles.links}>
        <a href={`${SERVER}/docs/`}>Documentation</a>
        <a href={`${SERVER}/openapi.html`}>Interface</a>
      </p>
    </>
  );
}

function Versions(items: Bill['items']) {
  const parts = items['internal-components'] ?? [];
  const own = parts.find(({ name }) => name === items.name);
  return (
    <>
      <Band title="This server">
        <dl className={styles.facts}>
          <dt>Program</dt>
          <dd>
            {items.name} {items.version ?? own?.version}
          </dd>
          <dt>Address</dt>
          <dd>{SERVER}</dd>
        </dl>
      </Band>
      <Band title="Made with" count={parts.length}>
        <ul className={styles.parts}>
          {parts.map(({ name, version }) => (
            <li key={name}>
              {name} <span>{version}</span>
            </li>
          ))}
        </ul>
      </Band>
    </>
  );
}
