/** The state of an environment: a shape, a colour and a word. */
import { Circle, CircleDot, Unplug, Wrench } from 'lucide-react';
import type { AgentState } from '../data/environments.ts';
import styles from './mark.module.css';
import { type Look, StateMark } from './state-mark.tsx';

const LOOKS: Readonly<Record<AgentState, Look>> = {
  idle: [Circle, styles.success],
  busy: [CircleDot, styles.still],
  draining: [Wrench, styles.waiting],
  lost: [Unplug, styles.failure],
};

export const AgentMark = ({ state }: { readonly state: AgentState }) => (
  <StateMark state={state} look={LOOKS[state]} />
);
