/** Numbers of states and outcomes, and bytes of ids. Many rows of the history of tests have them. */
import { type KeptExecution, type StoredTestState, TEST_STATES } from './test-history.ts';

type Outcome = KeptExecution['outcome'];

/** Numbers of stored rows: a further outcome goes to the end. */
const OUTCOMES: readonly Outcome[] = ['success', 'failure', 'error', 'skipped'];

export const outcomeNumber = (outcome: Outcome): number => OUTCOMES.indexOf(outcome);
export const outcomeOfNumber = (number: number): Outcome => OUTCOMES[number] ?? 'skipped';

export const stateNumber = (state: StoredTestState): number => TEST_STATES.indexOf(state);
export const stateOfNumber = (number: number): StoredTestState => TEST_STATES[number] ?? 'new';

export const uuidBytes = (id: string): Uint8Array => Buffer.from(id.replaceAll('-', ''), 'hex');

export const uuidOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Clocks have fractions of milliseconds, and columns have none. */
export const wholeOrNull = (ms: number | null | undefined): number | null =>
  ms == null ? null : Math.round(ms);
