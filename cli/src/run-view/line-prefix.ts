/** What lines about a run begin with, where somebody has chosen that. */
import { UsageError } from '../terminal/problem.ts';
import { cleanLine } from '../terminal/style.ts';

const PLACEHOLDERS = ['timestamp', 'time', 'job', 'job_id'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const WRITTEN = /\{([^{}]*)\}/g;
const ID_LENGTH = 36;
const SECONDS = 'YYYY-MM-DDThh:mm:ss';
const TIME = 'hh:mm:ss';

/** `source` names it, as in "--output-prefix". Throws `UsageError` for what nothing stands for. */
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

/** What a prefix may tell of a line. */
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

/** With blanks for what a line has not, so that texts begin below each other. */
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
