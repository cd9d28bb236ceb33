/** The workflow of two runs as a text with what changed. */
import type { LoggedEvent } from '@tutti/manifests';
import { structuredPatch } from 'diff';
import { Placeholder } from '../../parts/states.tsx';
import { Part } from '../run/part.tsx';
import { Scrolled } from '../run/scrolled.tsx';
import styles from './compare.module.css';
import { useManifests } from './manifests.ts';

/** Entries that are other in each run say nothing. */
const OWN = new Set(['workflow_id', 'creationTimestamp', 'step_id', 'id']);

const textOf = (event: LoggedEvent | null): string =>
  JSON.stringify(event ?? {}, (key, value: unknown) => (OWN.has(key) ? undefined : value), 2);

/** Longer texts would keep the page busy. */
const LENGTH_MAX = 500_000;

export function ManifestDifferences({ a, b }: { readonly a: string; readonly b: string }) {
  const { error, before, after } = useManifests(a, b);
  // The part with the values has the same answer, and says so.
  if (error !== null) return null;
  if (before === undefined || after === undefined) return <Placeholder />;
  return (
    <Part title="Workflow">
      <TextDifferences before={textOf(before)} after={textOf(after)} />
    </Part>
  );
}

function TextDifferences({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p>They are the same.</p>;
  if (before.length + after.length > LENGTH_MAX)
    return <p>They differ, and are too long to show.</p>;
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: 2_000 });
  if (patch === undefined) return <p>They differ too much to show.</p>;
  // A line with a backslash is a remark of the library.
  const lines = patch.hunks
    .flatMap((hunk, at) => [...(at === 0 ? [] : ['⋯']), ...hunk.lines])
    .filter((line) => !line.startsWith('\\'));
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
