/** Options for the amount of detail in the execution log (specification 4.5, logs). */
import type { ExecutionLogSpec, Labels } from '@tutti/manifests';

export interface LogOptions {
  /** Steps within as many provider steps, or more, are not shown; 0 shows all. */
  readonly stepDepth: number;
  /** Jobs within as many generator jobs, or more, are not shown; 0 shows all. */
  readonly jobDepth: number;
  /** Characters of the first line of a command that are shown; 0 shows all lines, whole. */
  readonly maxCommandLength: number;
  /** Whether there is a line for each file that a step attached. */
  readonly showsAttachments: boolean;
  /** Whether log lines of services are shown. */
  readonly showsNotifications: boolean;
  /** Whether those for debugging are shown, too. */
  readonly showsDebugging: boolean;
  /** Prefix of each line, with `{timestamp}` and `{job_id}` filled in; null for the form of the log endpoint. */
  readonly outputPrefix: string | null;
}

const PREFIX = 'live-executionlog';

/** Options of the log endpoint, out of valid labels of the workflow. */
export function createLogOptions(labels: Labels = {}): LogOptions {
  return {
    stepDepth: numberOf(labels, 'step-depth', 1),
    jobDepth: numberOf(labels, 'job-depth', 1),
    maxCommandLength: numberOf(labels, 'max-command-length', 0),
    showsAttachments: false,
    showsNotifications: false,
    showsDebugging: false,
    outputPrefix: null,
  };
}

/** Options of an insight of kind `ExecutionLog` (wire facts 9.5). The defaults are those of the log endpoint. */
export function createInsightLogOptions(spec: ExecutionLogSpec): LogOptions {
  const defaults = createLogOptions();
  const isVerbose = isTrue(spec.verbose);
  return {
    stepDepth: countOf(spec['step-depth'], defaults.stepDepth),
    jobDepth: countOf(spec['job-depth'], defaults.jobDepth),
    maxCommandLength: countOf(spec['max-command-length'], defaults.maxCommandLength),
    showsAttachments: isVerbose,
    showsNotifications: isTrue(spec['show-notifications']),
    showsDebugging: isVerbose,
    outputPrefix: spec['output-prefix'] ?? null,
  };
}

/** Flags are texts in definitions. */
const isTrue = (text = ''): boolean => text.trim().toLowerCase() === 'true';

const countOf = (value: number | undefined, otherwise: number): number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : otherwise;

function numberOf(labels: Labels, name: string, otherwise: number): number {
  const key = `${PREFIX}/${name}`;
  const text = Object.hasOwn(labels, key) ? String(labels[key]).trim() : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
