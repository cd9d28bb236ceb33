/** Inputs, variables and labels of two runs, one by one. */
import { isRunEvent, type LoggedEvent } from '@tutti/manifests';
import { factOf } from '@tutti/workflow/facts';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Part } from '../run/part.tsx';
import { Scrolled } from '../run/scrolled.tsx';
import styles from './compare.module.css';
import { useManifests } from './manifests.ts';

type Values = Readonly<Record<string, unknown>>;

interface Difference {
  readonly kind: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function ValueDifferences({ a, b }: { readonly a: string; readonly b: string }) {
  const { error, again, before, after } = useManifests(a, b);
  if (error !== null) return <Problem error={error} onAgain={again} />;
  if (before === undefined || after === undefined) return <Placeholder />;
  const [earlier, later] = [valuesOf(before), valuesOf(after)];
  const rows = Object.keys(later).flatMap((kind) =>
    differencesIn(kind, earlier[kind] ?? {}, later[kind] ?? {}),
  );
  return (
    <Part title="Inputs, variables and labels">
      {rows.length === 0 ? <p>They are the same.</p> : <ValueTable rows={rows} />}
    </Part>
  );
}

function ValueTable({ rows }: { readonly rows: readonly Difference[] }) {
  return (
    <Scrolled label="Values that differ" className={styles.values}>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ kind, name, before, after }) => (
            <tr key={`${kind} ${name}`}>
              <th scope="row">
                {kind} <bdi>{name}</bdi>
              </th>
              <td>
                <Value value={before} />
              </td>
              <td>
                <Value value={after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

const Value = ({ value }: { readonly value: unknown }) =>
  value === undefined ? (
    <span className={styles.none}>none</span>
  ) : (
    <code>
      <bdi>{textOf(value)}</bdi>
    </code>
  );

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function valuesOf(event: LoggedEvent | null): Readonly<Record<string, Values>> {
  const fact = event !== null && isRunEvent(event) ? factOf(event) : null;
  if (fact?.type !== 'RunReceived') return {};
  const { metadata, variables = {} } = fact.event;
  return { Input: fact.inputs, Variable: variables, Label: metadata.labels ?? {} };
}

function differencesIn(kind: string, before: Values, after: Values): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ kind, name, before: before[name], after: after[name] }));
}
