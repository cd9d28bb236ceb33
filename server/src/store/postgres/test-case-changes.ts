/** Changes of the test cases of a run by further executions. Pure: it is given the stored rows, and keeps rows for the writer. */

import { firstKept } from '../kept-executions.ts';
import type { TestCaseRow, TestErrorsRow } from '../store.ts';

/** A test case as it is stored. */
export interface StoredCase {
  readonly key: Buffer;
  readonly place: number;
  readonly jobId: string;
  readonly outcome: TestCaseRow['outcome'];
  readonly json: string;
  readonly executions: number;
  readonly precedence: number;
  /** Number of the execution that counts. */
  readonly counting: number;
}

export interface StoredExecution {
  readonly place: number;
  readonly execution: number;
  readonly json: string;
}

export interface AddedExecution {
  readonly key: Buffer;
  readonly place: number;
  readonly execution: number;
  readonly row: TestCaseRow;
}

/** Executions that go: all before a number but one. */
export interface Dropped {
  readonly key: Buffer;
  readonly place: number;
  readonly before: number;
  readonly counting: number;
}

type ChangedCase = { -readonly [Name in keyof StoredCase]: StoredCase[Name] } & {
  /** Executions that do not count, by number. */
  readonly history: Map<number, string>;
  /** Numbers of those to write. */
  readonly written: Set<number>;
  first: number;
};

/** The entries of a TestCase manifest that are read here. */
interface Manifest {
  readonly metadata?: { readonly execution_id?: string };
  readonly execution?: { readonly errorsList?: readonly unknown[] };
}

export class TestCaseChanges {
  readonly #cases = new Map<string, ChangedCase>();
  readonly #changed = new Set<ChangedCase>();
  readonly #added: AddedExecution[] = [];
  readonly #counts = new Map<string, { jobId: string; outcome: string; count: number }>();
  readonly #historyMax: number;
  /** Test cases of the run. */
  count: number;

  constructor(
    count: number,
    known: { readonly cases: readonly StoredCase[]; readonly history: readonly StoredExecution[] },
    historyMax: number,
  ) {
    this.count = count;
    this.#historyMax = historyMax;
    const byPlace = Map.groupBy(known.history, ({ place }) => place);
    for (const stored of known.cases) {
      const executions = byPlace.get(stored.place) ?? [];
      const history = new Map(executions.map(({ execution, json }) => [execution, json]));
      this.#cases.set(nameOf(stored.key), { ...stored, history, written: new Set(), first: 0 });
    }
  }

  get cases(): readonly StoredCase[] {
    return [...this.#changed];
  }

  get history(): readonly StoredExecution[] {
    return [...this.#changed].flatMap(({ place, history, written, first }) =>
      [...written]
        .filter((execution) => execution >= first)
        .map((execution) => ({ place, execution, json: history.get(execution) ?? '' })),
    );
  }

  get executions(): readonly AddedExecution[] {
    return this.#added;
  }

  get dropped(): readonly Dropped[] {
    return [...this.#changed]
      .filter(({ first }) => first > 1)
      .map(({ key, place, first, counting }) => ({ key, place, before: first, counting }));
  }

  get counts() {
    return [...this.#counts.values()].filter(({ count }) => count !== 0);
  }

  addExecution(key: Buffer, row: TestCaseRow): void {
    const known = this.#cases.get(nameOf(key));
    const changed = known === undefined ? this.#begin(key, row) : this.#repeat(known, row);
    this.#changed.add(changed);
    const { place, executions: execution } = changed;
    this.#added.push({ key, place, execution, row });
  }

  /** Goes to the newest execution with that id. */
  addErrors(key: Buffer, { attachmentId, json }: TestErrorsRow): void {
    const known = this.#cases.get(nameOf(key));
    if (known === undefined) return;
    const isOf = (text: string) =>
      (JSON.parse(text) as Manifest).metadata?.execution_id === attachmentId;
    if (isOf(known.json)) known.json = withErrors(known.json, json);
    else {
      const newest = [...known.history].toSorted(([one], [other]) => other - one);
      const [execution, text] = newest.find(([, each]) => isOf(each)) ?? [];
      if (execution === undefined || text === undefined) return;
      known.history.set(execution, withErrors(text, json));
      known.written.add(execution);
    }
    this.#changed.add(known);
  }

  #begin(key: Buffer, row: TestCaseRow): ChangedCase {
    const { jobId, outcome, json, precedence } = row;
    const stored = { key, place: this.count, jobId, outcome, json, precedence };
    const begun: ChangedCase = {
      ...stored,
      executions: 1,
      counting: 1,
      history: new Map(),
      written: new Set(),
      first: 0,
    };
    this.#cases.set(nameOf(key), begun);
    this.#count(jobId, outcome, 1);
    this.count += 1;
    return begun;
  }

  /** A further execution takes the place of the one that counts, or goes to the others. */
  #repeat(known: ChangedCase, row: TestCaseRow): ChangedCase {
    known.executions += 1;
    const { executions: execution } = known;
    if (row.precedence >= known.precedence) {
      this.#keep(known, known.counting, known.json);
      this.#count(known.jobId, known.outcome, -1);
      const { jobId, outcome, json, precedence } = row;
      Object.assign(known, { jobId, outcome, json, precedence, counting: execution });
      this.#count(jobId, outcome, 1);
    } else this.#keep(known, execution, row.json);
    const first = firstKept({ execution, counting: known.counting }, this.#historyMax);
    known.first = Math.max(known.first, first);
    for (const number of known.history.keys()) if (number < first) known.history.delete(number);
    return known;
  }

  #keep({ history, written }: ChangedCase, execution: number, json: string): void {
    history.set(execution, json);
    written.add(execution);
  }

  #count(jobId: string, outcome: string, difference: number): void {
    const name = `${jobId} ${outcome}`;
    const counted = this.#counts.get(name) ?? { jobId, outcome, count: 0 };
    counted.count += difference;
    this.#counts.set(name, counted);
  }
}

const nameOf = (key: Buffer): string => key.toString('latin1');

function withErrors(json: string, errors: string): string {
  const manifest: Manifest = JSON.parse(json);
  const { execution } = manifest;
  const errorsList = [...(execution?.errorsList ?? []), ...JSON.parse(errors)];
  return JSON.stringify({ ...manifest, execution: { ...execution, errorsList } });
}
