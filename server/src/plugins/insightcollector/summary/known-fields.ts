/** Fields of the items of each data source (specification 2.6 to 2.8). They serve to warn about a field that no item has. */
import { referencesOf } from '@tutti/expressions';
import { nearestName } from '@tutti/manifests/documents';
import { MANAGED_TEST_MEMBERS } from '@tutti/workflow';
import { pathsOf } from './field.ts';
import type { Datasource } from './section-plan.ts';

/** By name. Entries below an entry of `ANYTHING` differ from item to item. */
interface Entries {
  readonly [name: string]: Entries | null;
}

const VALUE: Entries = {};
const ANYTHING = null;

const values = (...names: readonly string[]): Entries =>
  Object.fromEntries(names.map((name) => [name, VALUE]));

const DETAILS = values('message', 'type', 'text');
const COUNTS: Entries = {
  testCaseCount: VALUE,
  testCaseStatusSummary: values('success', 'failure', 'error', 'skipped', 'cancelled'),
};

const ITEMS: Readonly<Record<Datasource, Entries>> = {
  testcases: {
    ...values('apiVersion', 'kind', 'status'),
    metadata: values(
      ...['name', 'id', 'job_id', 'execution_id', 'workflow_id', 'namespace'],
      ...['creationTimestamp', 'executions'],
    ),
    test: {
      'runs-on': ANYTHING,
      ...values('uses', 'technology', 'job', 'test', 'suiteName', 'testCaseName', 'outcome'),
      ...values('managed', 'newlyFailed', 'retried', 'flaked', 'quarantined'),
      history: values('state', 'flakeRate', 'failures', 'executions'),
      ...Object.fromEntries(MANAGED_TEST_MEMBERS.map((name) => [name, ANYTHING])),
    },
    execution: {
      ...values('startTime', 'endTime', 'duration', 'outcome'),
      failureDetails: DETAILS,
      warningDetails: DETAILS,
      errorDetails: DETAILS,
      errorsList: ANYTHING,
    },
    executionHistory: ANYTHING,
  },
  jobs: {
    ...values('apiVersion', 'kind', 'uuid'),
    metadata: values('name', 'id', 'namespace', 'workflow_id', 'creationTimestamp'),
    spec: { 'runs-on': ANYTHING, variables: ANYTHING },
    status: { ...values('phase', 'requestTime', 'startTime', 'endTime', 'duration'), ...COUNTS },
  },
  tags: {
    ...values('apiVersion', 'kind'),
    metadata: values('name', 'workflow_id', 'namespace'),
    status: { jobCount: VALUE, ...COUNTS },
  },
};

/** Contexts of conditions; change them together with `insightScope`. */
const CONDITIONS: Entries = {
  workflow: {
    ...values('workflow_id', 'name', 'namespace', 'status', 'creationTimestamp'),
    labels: ANYTHING,
  },
};

/** The mistake in a well-formed field: null where items may have the field. */
export const unknownField = (text: string, datasource: Datasource): string | null =>
  firstUnknown(pathsOf(text), ITEMS[datasource]);

/** The mistake in a well-formed condition: null where everything it reads exists. */
export const unknownInCondition = (text: string): string | null =>
  firstUnknown(referencesOf(text).paths, CONDITIONS);

function firstUnknown(paths: readonly (readonly string[])[], all: Entries): string | null {
  for (const path of paths) {
    const missing = missingAt(path, all);
    if (missing === null) continue;
    const name = path.join('.');
    const meant = meantBy(path, missing, all);
    return `unknown field "${name}", ${meant === null ? advice(missing) : `did you mean "${meant}"?`}`;
  }
  return null;
}

interface Missing {
  /** The names that exist there, and the path to them. */
  readonly known: Entries;
  readonly below: readonly string[];
}

/** A misspelt name, or one whose place was forgotten, as in `job` for `test.job`. */
function meantBy(path: readonly string[], { known, below }: Missing, all: Entries): string | null {
  const forgotten = fieldNames(all).find((name) => name.endsWith(`.${path.join('.')}`));
  if (forgotten !== undefined) return forgotten;
  const nearest = nearestName(path[below.length] ?? '', Object.keys(known));
  if (nearest === null) return null;
  const meant = [...below, nearest, ...path.slice(below.length + 1)];
  return missingAt(meant, all) === null ? meant.join('.') : null;
}

function advice({ known, below }: Missing): string {
  const names = Object.keys(known).map((name) => `"${[...below, name].join('.')}"`);
  return names.length === 0
    ? `"${below.join('.')}" has no fields`
    : `there are ${names.join(', ')}`;
}

/** The place at which a path leaves the known names; null if it stays within them. */
function missingAt(path: readonly string[], items: Entries): Missing | null {
  let known: Entries = items;
  for (const [depth, name] of path.entries()) {
    const next: Entries | null | undefined = Object.hasOwn(known, name) ? known[name] : undefined;
    if (next === undefined) return { known, below: path.slice(0, depth) };
    if (next === ANYTHING) return null;
    known = next;
  }
  return null;
}

/** All paths, also those to entries with fields of their own. */
function fieldNames(entries: Entries, above: readonly string[] = []): readonly string[] {
  return Object.entries(entries).flatMap(([name, below]) => {
    const path = [...above, name];
    return [path.join('.'), ...(below === ANYTHING ? [] : fieldNames(below, path))];
  });
}
