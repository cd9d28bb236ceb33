/** The state of a test: a shape, a colour and a word. */
import {
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  type LucideIcon,
  Shuffle,
} from 'lucide-react';
import type { TestState } from '../data/tests.ts';
import styles from './mark.module.css';

const SHAPES: Readonly<Record<TestState, readonly [LucideIcon, string | undefined]>> = {
  broken: [CircleX, styles.failure],
  flaky: [Shuffle, styles.waiting],
  unsure: [CircleQuestionMark, styles.waiting],
  new: [CircleDashed, styles.skipped],
  stable: [CircleCheck, styles.success],
};

export function TestMark({ state }: { readonly state: TestState }) {
  const [Shape, color] = SHAPES[state];
  return (
    <span className={`${styles.mark} ${color}`}>
      <Shape aria-hidden size={16} strokeWidth={2.25} />
      {state}
    </span>
  );
}
