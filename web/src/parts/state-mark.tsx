/** A state whose name is its word, with a shape and a colour. */
import type { LucideIcon } from 'lucide-react';
import styles from './mark.module.css';

/** Shape and class of the colour. */
export type Look = readonly [shape: LucideIcon, color: string | undefined];

interface StateMarkProps {
  readonly state: string;
  readonly look: Look;
}

export const StateMark = ({ state, look: [Shape, color] }: StateMarkProps) => (
  <span className={`${styles.mark} ${color}`}>
    <Shape aria-hidden size={16} strokeWidth={2.25} />
    {state}
  </span>
);
