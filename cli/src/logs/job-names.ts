/** Names of the jobs of a run, because its log has only their ids. */
import type { Client } from '@tutti/client';
import { createNamePattern } from '@tutti/selectors';
import { jobIn } from '@tutti/workflow/facts';
import { textAt } from '../resources/value-path.ts';
import type { LogLine } from './log-line.ts';

export interface JobNames {
  /** Fetches unknown names of jobs, if these lines have any. */
  learn(lines: readonly LogLine[]): Promise<void>;
  /** Null for a line without a job; the id for an unknown name. */
  nameOf(line: LogLine): string | null;
  isChosen(line: LogLine): boolean;
  /** The known names, if the pattern matches none of them; otherwise null. */
  missed(): readonly string[] | null;
}

interface JobName {
  readonly name: string;
  /** The names of the bundles around it and its own. */
  readonly key: string;
}

/** Events that start jobs and bundles. */
const STARTS = [
  'kind=ExecutionCommand,metadata.step_sequence_id=-1',
  'kind in (GeneratorCommand,GeneratorResult)',
];

/** `pattern` selects jobs by name, with or without the names of their bundles. */
export function createJobNames(
  client: Client,
  workflowId: string,
  pattern: string | undefined,
): JobNames {
  const names = new Map<string, JobName | null>();
  const isName = pattern === undefined ? null : createNamePattern(pattern);
  const load = async () => {
    for (const fieldSelector of STARTS) {
      for await (const { events } of client.eventPages(workflowId, { fieldSelector })) {
        for (const { metadata } of events) {
          const name = textAt(metadata, ['name']);
          names.set(textAt(metadata, ['job_id']), { name, key: jobIn(metadata) ?? name });
        }
      }
    }
  };
  return {
    async learn(lines) {
      const isUnknown = ({ jobId }: LogLine) => jobId !== null && !names.has(jobId);
      if (!lines.some(isUnknown)) return;
      await load();
      // The server does not know them, so they are not requested again.
      for (const line of lines.filter(isUnknown)) names.set(line.jobId ?? '', null);
    },
    nameOf: ({ jobId }) => (jobId === null ? null : (names.get(jobId)?.name ?? jobId)),
    isChosen({ jobId }) {
      if (isName === null) return true;
      const job = names.get(jobId ?? '');
      if (job === undefined || job === null) return jobId !== null && isName(jobId);
      return isName(job.name) || isName(job.key);
    },
    missed() {
      const jobs = [...names.values()].filter((job) => job !== null);
      const isMissed =
        isName !== null && !jobs.some(({ name, key }) => isName(name) || isName(key));
      return isMissed ? [...new Set(jobs.map(({ name }) => name))] : null;
    },
  };
}
