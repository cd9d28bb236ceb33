/** The author's expectations of a run of the example: `expected.yaml`, as tests compare with it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { EXAMPLE } from './tools.ts';

/** Success, failure, error, skipped. */
type Counts = readonly [number, number, number, number];

interface JobExpectation {
  readonly tags: readonly string[];
  readonly phase: string;
  readonly counts: Counts;
  readonly variables?: Readonly<Record<string, string>>;
}

interface GateExpectation {
  readonly exitCode: number;
  readonly status: string;
  /** Result, in scope, failed, passed, share. */
  readonly rules: Readonly<Record<string, readonly [string, number, number, number, string]>>;
}

interface WrittenExpectation {
  readonly totals: Readonly<Record<'success' | 'failure' | 'error' | 'skipped', number>>;
  readonly testcases: readonly {
    readonly job: string;
    readonly technology: string;
    readonly uses: string;
    readonly test: string;
    readonly cases: readonly (readonly [string, string, string, string?])[];
  }[];
  readonly jobs: Readonly<Record<string, JobExpectation>>;
  readonly tags: Readonly<Record<string, { readonly jobs: number; readonly counts: Counts }>>;
  readonly gates: Readonly<Record<string, GateExpectation>>;
  readonly log: Readonly<Record<string, readonly string[]>>;
}

export interface CaseExpectation {
  readonly job: string;
  readonly technology: string;
  readonly uses: string;
  readonly test: string;
  readonly suite: string;
  readonly name: string;
  readonly outcome: string;
  /** Part of the message; null where there is none. */
  readonly message: string | null;
}

export interface Expectation extends Omit<WrittenExpectation, 'testcases'> {
  readonly cases: readonly CaseExpectation[];
}

export async function readExpectation(): Promise<Expectation> {
  const text = await readFile(join(EXAMPLE, 'expected.yaml'), 'utf8');
  // Written for these tests alone: what it has not makes them fail.
  const { testcases, ...rest } = parse(text) as WrittenExpectation;
  return {
    ...rest,
    cases: testcases.flatMap(({ cases, ...of }) =>
      cases.map(([suite, name, outcome, message = null]) => ({
        ...of,
        suite,
        name,
        outcome,
        message,
      })),
    ),
  };
}

/** Cases in one order, whichever they were told in. */
export const inOrder = <Case extends Pick<CaseExpectation, 'job' | 'suite' | 'name'>>(
  cases: readonly Case[],
): readonly Case[] =>
  cases.toSorted((a, b) => {
    const [left, right] = [a, b].map(({ job, suite, name }) => `${job}\n${suite}\n${name}`);
    return (left ?? '') < (right ?? '') ? -1 : 1;
  });
