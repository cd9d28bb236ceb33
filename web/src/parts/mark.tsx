/** The state of a run or a job: a shape, a colour and a word. Colour never stands alone. */
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  OctagonAlert,
  Repeat,
} from 'lucide-react';
import styles from './mark.module.css';

export type MarkState =
  | 'success'
  | 'failure'
  | 'error'
  | 'canceled'
  | 'running'
  | 'waiting'
  | 'skipped'
  | 'flaked';

const SHAPES: Readonly<Record<MarkState, readonly [LucideIcon, string]>> = {
  success: [CircleCheck, 'passed'],
  failure: [CircleX, 'failed'],
  error: [OctagonAlert, 'error'],
  canceled: [Ban, 'canceled'],
  running: [LoaderCircle, 'running'],
  waiting: [Clock, 'waiting'],
  skipped: [CircleDashed, 'skipped'],
  flaked: [Repeat, 'flaked'],
};

interface MarkProps {
  readonly state: MarkState;
  /** In place of the usual word. */
  readonly word?: string;
  /** Without it, only readers of screens get the word. */
  readonly hasWord?: boolean;
}

export function Mark({ state, word, hasWord = true }: MarkProps) {
  const [Shape, usual] = SHAPES[state];
  return (
    <span className={`${styles.mark} ${styles[state]}`}>
      <Shape aria-hidden size={16} strokeWidth={2.25} />
      <span className={hasWord ? undefined : 'hidden'}>{word ?? usual}</span>
    </span>
  );
}

/** The state of a run as its status on the wire says it. */
export function markOfRun(status: string, isCanceled: boolean): Exclude<MarkState, 'flaked'> {
  if (isCanceled) return 'canceled';
  const marks: Readonly<Record<string, ReturnType<typeof markOfRun>>> = {
    DONE: 'success',
    FAILED: 'failure',
    RUNNING: 'running',
    PENDING: 'waiting',
  };
  return marks[status] ?? 'waiting';
}
