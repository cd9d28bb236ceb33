/** What would help the jobs that wait: tags that nobody has, and tags of which all environments are busy. */
import { useQuery } from '@tanstack/react-query';
import { type Agent, agentsQuery, stateOf } from '../../data/environments.ts';
import type { WaitingJob } from '../../data/queue.ts';
import { Band } from '../../parts/band.tsx';
import { Tags } from '../../parts/tags.tsx';
import styles from './queue.module.css';

export function Advice({ jobs }: { readonly jobs: readonly WaitingJob[] }) {
  const { data: agents } = useQuery(agentsQuery);
  if (agents === undefined) return null;
  const groups = [...Map.groupBy(jobs, ({ tags }) => tags.toSorted().join(' ')).values()];
  const advice = groups.flatMap((group) => {
    const [{ tags } = { tags: [] }] = group;
    const text = tags.length === 0 ? null : adviceFor(tags, group.length, agents);
    return text === null ? [] : [{ tags, text, count: group.length }];
  });
  if (advice.length === 0) return null;
  return (
    <Band title="What would help">
      <ul className={styles.advice}>
        {advice.map(({ tags, text, count }) => (
          <li key={tags.join(' ')}>
            <Tags tags={tags} />
            <span>{text}</span>
            <span className={styles.count}>
              {count} {count === 1 ? 'job waits' : 'jobs wait'}
            </span>
          </li>
        ))}
      </ul>
    </Band>
  );
}

function adviceFor(
  tags: readonly string[],
  count: number,
  agents: readonly Agent[],
): string | null {
  const fitting = agents.filter(({ spec }) => tags.every((tag) => spec.tags.includes(tag)));
  if (fitting.length === 0) {
    const missing = tags.filter((tag) => !agents.some(({ spec }) => spec.tags.includes(tag)));
    return missing.length === 0
      ? 'No environment has all of these tags at once. Start one: tutti agent --tags …'
      : `No environment has ${missing.join(', ')}. Start one with these tags: tutti agent --tags …`;
  }
  const states = fitting.map(stateOf);
  const usable = states.filter((state) => state === 'idle' || state === 'busy');
  if (usable.length === 0)
    return states.includes('draining')
      ? 'All environments with these tags are draining or lost. Undrain one, or start another.'
      : 'All environments with these tags are lost. See why on their pages, or start another.';
  if (usable.includes('idle')) return null;
  const more = Math.min(count, usable.length);
  return `All ${usable.length} environments with these tags are busy. ${more} more would serve ${more === 1 ? 'the next job' : 'the next jobs'} at once.`;
}
