/** Environments: which machine is free, busy or lost? */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { type Agent, agentsQuery, stateOf } from '../../data/environments.ts';
import { AgentMark } from '../../parts/agent-mark.tsx';
import { Band, PageHead } from '../../parts/band.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Ago } from '../../parts/times.tsx';
import styles from './environments.module.css';

const route = getRouteApi('/signed-in/environments');

export function EnvironmentsPage() {
  const { tag, namespace } = route.useSearch();
  const { data, error, refetch } = useQuery(agentsQuery);
  const shown = data?.filter(
    ({ spec, metadata }) =>
      (tag === undefined || spec.tags.includes(tag)) &&
      (namespace === undefined || isIn(namespace, metadata.namespaces)),
  );
  return (
    <>
      <PageHead title="Environments" />
      {error !== null && data === undefined && (
        <Problem error={error} onAgain={() => void refetch()} />
      )}
      {data === undefined && error === null && <Placeholder lines={6} />}
      {data?.length === 0 && (
        <Empty>
          No environment is there. Start one on a machine: <code>tutti agent --tags linux</code>
        </Empty>
      )}
      {(tag !== undefined || namespace !== undefined) && (
        <p>
          Only those with {tag ?? namespace}. <Link to="/environments">Show all</Link>
        </p>
      )}
      {shown !== undefined &&
        groupsOf(shown).map(({ tags, agents }) => (
          <TagGroup key={tags.join(' ')} tags={tags} agents={agents} />
        ))}
    </>
  );
}

const isIn = (namespace: string, namespaces: string): boolean =>
  namespaces === '*' || namespaces.split(',').some((each) => each.trim() === namespace);

/** Environments with the same tags, of which any may get a job. Groups with lost ones come first. */
function groupsOf(agents: readonly Agent[]) {
  const groups = [...Map.groupBy(agents, ({ spec }) => spec.tags.toSorted().join(' ')).values()];
  return groups
    .map((own) => ({ tags: own[0]?.spec.tags ?? [], agents: own.toSorted(byNeed) }))
    .toSorted((one, other) => lostIn(other.agents) - lostIn(one.agents));
}

const NEED = ['lost', 'draining', 'busy', 'idle'] as const;
const byNeed = (one: Agent, other: Agent): number =>
  NEED.indexOf(stateOf(one)) - NEED.indexOf(stateOf(other)) ||
  one.metadata.name.localeCompare(other.metadata.name);
const lostIn = (agents: readonly Agent[]): number =>
  agents.filter((agent) => stateOf(agent) === 'lost').length;

function TagGroup({
  tags,
  agents,
}: {
  readonly tags: readonly string[];
  readonly agents: readonly Agent[];
}) {
  const counts = NEED.toReversed().flatMap((state) => {
    const count = agents.filter((agent) => stateOf(agent) === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return (
    <Band
      title={cleanLine(tags.join(', '))}
      more={<span className={styles.counts}>{counts.join(', ')}</span>}
    >
      <ul className={styles.agents}>
        {agents.map((agent) => (
          <AgentRow key={agent.metadata.agent_id} agent={agent} />
        ))}
      </ul>
    </Band>
  );
}

function AgentRow({ agent }: { readonly agent: Agent }) {
  const { metadata, status, spec } = agent;
  return (
    <li className={styles.agent}>
      <span className={styles.state}>
        <AgentMark state={stateOf(agent)} />
      </span>
      <Link
        to="/environments/$agentId"
        params={{ agentId: metadata.agent_id }}
        className={styles.title}
      >
        {cleanLine(metadata.name)}
      </Link>
      <span className={styles.namespaces}>
        {metadata.namespaces === '*' ? 'all namespaces' : metadata.namespaces}
      </span>
      <span className="hidden">
        tags <Tags tags={spec.tags} />
      </span>
      <span className={styles.heard}>
        heard <Ago at={status.lastCommunicationTimestamp} />
      </span>
    </li>
  );
}
