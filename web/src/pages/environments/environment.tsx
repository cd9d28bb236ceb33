/** One environment: what it does, what waits for it, and whether it gets jobs. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { setDraining, useRenewal } from '../../data/actions.ts';
import { type Agent, type AgentWork, agentQuery, stateOf } from '../../data/environments.ts';
import { allows, useSession } from '../../data/session.ts';
import { AgentMark } from '../../parts/agent-mark.tsx';
import { Band, EmptyBand, PageHead } from '../../parts/band.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Tags } from '../../parts/tags.tsx';
import { Ago, Moment, Since } from '../../parts/times.tsx';
import styles from './environments.module.css';

const route = getRouteApi('/signed-in/environments/$agentId');

export function EnvironmentPage() {
  const { agentId } = route.useParams();
  const { data, error, refetch } = useQuery(agentQuery(agentId));
  if (error !== null && data === undefined)
    return (
      <>
        <PageHead title="Environment" />
        <Problem error={error} onAgain={() => void refetch()} />
        <p>
          <Link to="/environments">All environments</Link>
        </p>
      </>
    );
  if (data === undefined) return <Placeholder lines={6} />;
  return (
    <>
      <PageHead title={cleanLine(data.agent.metadata.name)}>
        <AgentMark state={stateOf(data.agent)} />
        <Drain agent={data.agent} />
      </PageHead>
      <Work work={data.work} />
      <Waiting {...data} />
      <Facts agent={data.agent} />
    </>
  );
}

function Drain({ agent }: { readonly agent: Agent }) {
  const session = useSession();
  const renew = useRenewal();
  const { agent_id: agentId } = agent.metadata;
  const name = cleanLine(agent.metadata.name);
  if (!allows(session, ['delete', 'agents'])) return null;
  const isDraining = agent.status.draining === true;
  const act = async () => {
    await setDraining(agentId, !isDraining);
    await renew();
  };
  return isDraining ? (
    <Confirm label="Undrain" title={`Give ${name} jobs again?`} act="Undrain" onAct={act}>
      <p>Jobs that wait for its tags may begin at once.</p>
    </Confirm>
  ) : (
    <Confirm label="Drain" title={`Drain ${name}?`} act="Drain" onAct={act}>
      <p>It ends the job that it has, and gets no other until somebody undrains it.</p>
    </Confirm>
  );
}

function Work({ work }: Pick<AgentWork, 'work'>) {
  if (work === null) return <EmptyBand title="Current job">None.</EmptyBand>;
  return (
    <EmptyBand title="Current job">
      <Link to="/runs/$runId" params={{ runId: work.metadata.workflow_id }}>
        {cleanLine(work.metadata.name)}
      </Link>
    </EmptyBand>
  );
}

function Waiting({ items, count }: AgentWork) {
  if (count === 0) return <EmptyBand title="Waiting for it">No job.</EmptyBand>;
  return (
    <Band title="Waiting for it" count={count}>
      <ol className={styles.agents}>
        {items.map(({ metadata, spec, status }) => (
          <li key={metadata.id} className={styles.agent}>
            <Link
              to="/runs/$runId"
              params={{ runId: metadata.workflow_id }}
              className={styles.title}
            >
              {cleanLine(metadata.name)}
            </Link>
            <Tags tags={spec['runs-on']} />
            <span className={styles.namespaces}>{metadata.namespace}</span>
            <span className={styles.heard}>
              {status.requestTime !== undefined && <Since at={status.requestTime} />}
            </span>
          </li>
        ))}
      </ol>
    </Band>
  );
}

const Facts = ({ agent: { metadata, spec, status } }: { readonly agent: Agent }) => (
  <Band title="About it">
    <dl className={styles.facts}>
      <dt>Tags</dt>
      <dd>
        <Tags tags={spec.tags} />
      </dd>
      <dt>Namespaces</dt>
      <dd>{metadata.namespaces === '*' ? 'all' : metadata.namespaces}</dd>
      <dt>Last heard of</dt>
      <dd>
        <Ago at={status.lastCommunicationTimestamp} />
      </dd>
      <dt>Registered</dt>
      <dd>
        <Moment at={metadata.creationTimestamp} />
      </dd>
      {metadata.version !== undefined && (
        <>
          <dt>Version</dt>
          <dd>{metadata.version}</dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <code>{metadata.agent_id}</code>
      </dd>
    </dl>
  </Band>
);
