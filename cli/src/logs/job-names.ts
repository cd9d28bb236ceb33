/** What the jobs of a run are called: its log has their ids alone. */
import type { Client } from '@tutti/client';
import { createNamePattern } from '@tutti/selectors';
import { jobIn } from '@tutti/workflow/facts';
import { textAt } from '../resources/value-path.ts';
import type { LogLine } from './log-line.ts';

export interface JobNames {
  /** Asks for those that are not known yet, if these lines have any. */
  learn(lines: readonly LogLine[]): Promise<void>;
  /** Null for what has no job; the id where no name is known. */
  nameOf(line: LogLine): string | null;
  isChosen(line: LogLine): boolean;
  /** The names of all jobs that are known, where none of them is chosen; otherwise null. */
  missed(): readonly string[] | null;
}

interface JobName {
  readonly name: string;
  /** The names of the bundles around it and its own. */
  readonly key: string;
}

/** Those that ask for an environment, and those that stand for others. */
const STARTS = [
  'kind=ExecutionCommand,metadata.step_sequence_id=-1',
  'kind in (GeneratorCommand,GeneratorResult)',
];

/** `pattern` chooses jobs by their names, or by their names with those of the bundles around them. */
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
      // Nobody tells of them: they are not asked for again.
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
