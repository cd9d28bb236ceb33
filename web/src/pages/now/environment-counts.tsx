/** Counts of environments by state, and the names of those that are draining or lost. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { agentsQuery, stateOf } from '../../data/environments.ts';
import { AgentMark } from '../../parts/agent-mark.tsx';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import styles from './now.module.css';

const STATES = ['idle', 'busy', 'draining', 'lost'] as const;
const SHOWN = 8;

export function EnvironmentCounts() {
  const { data, error, refetch } = useQuery(agentsQuery);
  if (error !== null && data === undefined)
    return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={2} />;
  if (data.length === 0)
    return (
      <EmptyBand title="Environments">
        None. Start one with <code>tutti agent --tags linux</code>.
      </EmptyBand>
    );
  const needed = data.filter((agent) => ['draining', 'lost'].includes(stateOf(agent)));
  return (
    <Band
      title="Environments"
      count={data.length}
      more={<Link to="/environments">All environments</Link>}
    >
      <ul className={styles.counts}>
        {STATES.map((state) => (
          <li key={state}>
            <strong>{data.filter((agent) => stateOf(agent) === state).length}</strong> {state}
          </li>
        ))}
      </ul>
      {needed.length > 0 && (
        <ul className={styles.rows}>
          {needed.slice(0, SHOWN).map((agent) => (
            <li key={agent.metadata.agent_id} className={styles.named}>
              <AgentMark state={stateOf(agent)} />
              <Link to="/environments/$agentId" params={{ agentId: agent.metadata.agent_id }}>
                {cleanLine(agent.metadata.name)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Band>
  );
}
