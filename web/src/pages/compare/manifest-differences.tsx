/** The workflow of two runs with its inputs and variables, as a text with what changed. Masked values stay masked. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { LoggedEvent } from '@tutti/manifests';
import { structuredPatch } from 'diff';
import { ask, runPath } from '../../data/api.ts';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Part } from '../run/part.tsx';
import { Scrolled } from '../run/scrolled.tsx';
import styles from './compare.module.css';

const manifestQuery = (runId: string) =>
  queryOptions({
    queryKey: ['manifest', runId],
    queryFn: async ({ signal }) => {
      const path = runPath(runId, '/status');
      const query = { fieldSelector: 'kind==Workflow', per_page: '1' };
      const { items } = await ask<{ readonly items: readonly LoggedEvent[] }>({
        path,
        query,
        signal,
      });
      return textOf(items[0]);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Entries that are other in each run say nothing. */
const OWN = new Set(['workflow_id', 'creationTimestamp', 'step_id', 'id']);

const textOf = (event: LoggedEvent | undefined): string =>
  JSON.stringify(event ?? {}, (key, value: unknown) => (OWN.has(key) ? undefined : value), 2);

/** Longer texts would keep the page busy. */
const LENGTH_MAX = 500_000;

export function ManifestDifferences({ a, b }: { readonly a: string; readonly b: string }) {
  const before = useQuery(manifestQuery(a));
  const after = useQuery(manifestQuery(b));
  const error = before.error ?? after.error;
  if (error !== null) return <Problem error={error} />;
  if (before.data === undefined || after.data === undefined) return <Placeholder />;
  return (
    <Part title="Workflow, inputs and variables">
      <TextDifferences before={before.data} after={after.data} />
    </Part>
  );
}

function TextDifferences({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p>They are the same.</p>;
  if (before.length + after.length > LENGTH_MAX)
    return <p>They differ, and are too long to show.</p>;
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: 2_000 });
  if (patch === undefined) return <p>They differ too much to show.</p>;
  const lines = patch.hunks.flatMap((hunk, at) => [...(at === 0 ? [] : ['⋯']), ...hunk.lines]);
  return (
    <Scrolled label="Differences of the workflow" className={styles.text}>
      {lines.map((line, at) => (
        // Lines have no other name, and never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={at} data-change={line[0]}>
          {line}
        </div>
      ))}
    </Scrolled>
  );
}
