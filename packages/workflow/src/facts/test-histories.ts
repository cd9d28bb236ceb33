/**
 * Histories of tests as they were known when results were stored. They stand beside the results in their event. So the log of a run has
 * the history that its scopes and gates look at. The entry has numbers alone, which no mask changes.
 */
import { type NotificationEvent, OWN_ENTRIES as OWN } from '@tutti/manifests';
import { entry } from './extensions.ts';

/** States as events number them: a further one goes to the end. */
const STATES = ['new', 'stable', 'unsure', 'flaky', 'broken'] as const;

/** The history of a test as test cases show it. */
export interface TestHistory {
  readonly state: (typeof STATES)[number];
  /** The estimated share of executions that fail whatever the version is. */
  readonly flakeRate: number;
  /** Failures among the newest executions on main branches, and all of these. */
  readonly failures: number;
  readonly executions: number;
}

export interface KnownHistory extends TestHistory {
  /** Whether the test failed in the newest run before. */
  readonly hadFailed: boolean;
  /** Whether the test was in quarantine, and not broken. */
  readonly quarantined: boolean;
}

/** Entries for the `spec` of the notification: one for each of its results, null where nothing is known. */
export function historyEntries(histories: readonly (KnownHistory | null)[]): object {
  if (histories.every((history) => history === null)) return {};
  return { [OWN.testHistories]: histories.map(numbersOf) };
}

function numbersOf(history: KnownHistory | null): readonly number[] {
  if (history === null) return [];
  const { state, flakeRate, failures, executions, hadFailed, quarantined } = history;
  const numbers = [STATES.indexOf(state), flakeRate, failures, executions, hadFailed ? 1 : 0];
  return quarantined ? [...numbers, 1] : numbers;
}

/** In the order of the results; empty for those of earlier versions. */
export function historiesIn({ spec }: NotificationEvent): readonly (KnownHistory | null)[] {
  const histories = entry(spec, OWN.testHistories);
  return Array.isArray(histories) ? histories.map(historyOf) : [];
}

/** Only the server writes this entry, so its types are certain. */
function historyOf(numbers: readonly number[]): KnownHistory | null {
  const [code = -1, flakeRate = 0, failures = 0, executions = 0, hadFailed = 0, held = 0] = numbers;
  const state = STATES[code];
  if (state === undefined) return null;
  const flags = { hadFailed: hadFailed === 1, quarantined: held === 1 };
  return { state, flakeRate, failures, executions, ...flags };
}
