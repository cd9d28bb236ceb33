/** Prefixes of output lines, as the user chooses them. */
import { cleanLine } from '@tutti/run-view/text';
import { UsageError } from '../terminal/problem.ts';

const PLACEHOLDERS = ['timestamp', 'time', 'job', 'job_id'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const WRITTEN = /\{([^{}]*)\}/g;
const ID_LENGTH = 36;
const SECONDS = 'YYYY-MM-DDThh:mm:ss';
const TIME = 'hh:mm:ss';

/** `source` names the prefix, as in "--output-prefix". Throws `UsageError` for an unknown placeholder. */
export function checkPrefix(prefix: string, source: string): void {
  const wrong = [...prefix.matchAll(WRITTEN)].find(([, name]) => !isPlaceholder(name));
  if (wrong === undefined) return;
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  throw new UsageError(
    `${source} has ${wrong[0]}, which stands for nothing; known are ${known}.`,
    'write one of them, or leave it out.',
  );
}

const isPlaceholder = (name: string | undefined): boolean =>
  PLACEHOLDERS.some((known) => known === name);

/** Values that a prefix can show. */
export interface Prefixed {
  /** Epoch milliseconds; null for a line that has no time. */
  readonly at: number | null;
  /** Name and id of its job; empty for a line about none. */
  readonly job: string;
  readonly jobId: string;
}

export interface PrefixLook {
  /** Cells for the names of jobs. */
  readonly jobWidth: number;
  /** The time of day of epoch milliseconds. */
  readonly clock: (ms: number) => string;
}

/** Missing values become blanks, so that texts are aligned. */
export function prefixText(
  prefix: string,
  { at, job, jobId }: Prefixed,
  { jobWidth, clock }: PrefixLook,
): string {
  const timestamp = at === null ? '' : new Date(at).toISOString().slice(0, SECONDS.length);
  const values: Readonly<Record<Placeholder, string>> = {
    timestamp: timestamp.padEnd(SECONDS.length),
    time: at === null ? ' '.repeat(TIME.length) : clock(at),
    job: cleanLine(job).padEnd(jobWidth),
    job_id: cleanLine(jobId).padEnd(ID_LENGTH),
  };
  return prefix.replace(WRITTEN, (written, name) => {
    const known = PLACEHOLDERS.find((each) => each === name);
    return known === undefined ? written : values[known];
  });
}
