/** The state of an environment: a shape, a colour and a word. */
import { Circle, CircleDot, type LucideIcon, Unplug, Wrench } from 'lucide-react';
import type { AgentState } from '../data/environments.ts';
import styles from './mark.module.css';

const SHAPES: Readonly<Record<AgentState, readonly [LucideIcon, string | undefined]>> = {
  idle: [Circle, styles.success],
  busy: [CircleDot, styles.still],
  draining: [Wrench, styles.waiting],
  lost: [Unplug, styles.failure],
};

export function AgentMark({ state }: { readonly state: AgentState }) {
  const [Shape, color] = SHAPES[state];
  return (
    <span className={`${styles.mark} ${color}`}>
      <Shape aria-hidden size={16} strokeWidth={2.25} />
      {state}
    </span>
  );
}
