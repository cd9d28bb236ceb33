/** The state of a test: a shape, a colour and a word. */
import { CircleCheck, CircleDashed, CircleQuestionMark, CircleX, Shuffle } from 'lucide-react';
import type { TestState } from '../data/tests.ts';
import styles from './mark.module.css';
import { type Look, StateMark } from './state-mark.tsx';

const LOOKS: Readonly<Record<TestState, Look>> = {
  broken: [CircleX, styles.failure],
  flaky: [Shuffle, styles.waiting],
  unsure: [CircleQuestionMark, styles.waiting],
  new: [CircleDashed, styles.skipped],
  stable: [CircleCheck, styles.success],
};

export const TestMark = ({ state }: { readonly state: TestState }) => (
  <StateMark state={state} look={LOOKS[state]} />
);
