/** Says that a test is in quarantine, or was when it failed. */
import { Shield } from 'lucide-react';
import styles from './mark.module.css';
import { type Look, StateMark } from './state-mark.tsx';

const LOOK: Look = [Shield, styles.skipped];

export const QuarantineMark = () => <StateMark state="quarantined" look={LOOK} />;
