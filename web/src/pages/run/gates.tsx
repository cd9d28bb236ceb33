/** May this be released, and which rule says no? */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../data/api.ts';
import { Choice } from '../../parts/choices.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { useAddress } from './address.ts';
import { GateRules } from './gate-verdict.tsx';
import styles from './gates.module.css';
import { useRun } from './run-context.ts';

const gatesRoute = getRouteApi('/signed-in/runs/$runId/gates');

export function GatesPage() {
  const { isPast } = useRun();
  const { mode = 'strict' } = gatesRoute.useSearch();
  const setAddress = useAddress();
  const { data, error, refetch } = useQuery({
    queryKey: ['gates'],
    queryFn: ({ signal }) =>
      ask<{ readonly items: readonly { readonly name: string }[] }>({
        path: '/qualitygates',
        signal,
      }),
  });
  if (isPast)
    return <Empty>Gates judge a run as it is. Go to the end to see their verdicts.</Empty>;
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder />;
  return (
    <div className={styles.page}>
      <div className={styles.choices} role="toolbar" aria-label="Gates">
        {data.items.map(({ name }) => (
          <Choice
            key={name}
            isChosen={name === mode}
            onChoose={() => void setAddress({ mode: name === 'strict' ? undefined : name })}
          >
            <bdi>{name}</bdi>
          </Choice>
        ))}
      </div>
      <GateRules key={mode} mode={mode} />
    </div>
  );
}
