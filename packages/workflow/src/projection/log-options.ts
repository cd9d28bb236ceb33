/** How much the execution log shows (specification 4.5, logs). */
import type { Labels } from '@tutti/manifests';

export interface LogOptions {
  /** Steps within as many provider steps, or more, are not shown; 0 shows all. */
  readonly stepDepth: number;
  /** Jobs within as many generator jobs, or more, are not shown; 0 shows all. */
  readonly jobDepth: number;
  /** Characters of a command that are shown; 0 shows all. */
  readonly maxCommandLength: number;
  /** Whether a line tells of each file that a step attached. */
  readonly showsAttachments: boolean;
  /** Whether log lines of services are shown. */
  readonly showsNotifications: boolean;
}

const PREFIX = 'live-executionlog';

/** Options of the log endpoint: what the labels of the workflow say, where they say something valid. */
export function createLogOptions(labels: Labels = {}): LogOptions {
  return {
    stepDepth: numberOf(labels, 'step-depth', 1),
    jobDepth: numberOf(labels, 'job-depth', 1),
    maxCommandLength: numberOf(labels, 'max-command-length', 0),
    showsAttachments: false,
    showsNotifications: false,
  };
}

function numberOf(labels: Labels, name: string, otherwise: number): number {
  const key = `${PREFIX}/${name}`;
  const text = Object.hasOwn(labels, key) ? String(labels[key]).trim() : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
