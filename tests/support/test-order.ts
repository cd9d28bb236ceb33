/**
 * The order in which test files begin. Suites run concurrently: some compute, some mostly wait. Mixed, they keep the processors
 * busy, unlike one suite after the other.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take half a minute or more on two cores, the longest first. They begin before the others of their suite, so that
 * none runs alone at the end. Recorded times exist only on machines that ran them before.
 */
export const LONG_FILES: readonly string[] = [
  'packages/workflow/src/run/simulation/simulation-odd.int.test.ts',
  'packages/workflow/src/run/simulation/simulation-even.int.test.ts',
  'tests/security/documents.test.ts',
  'tests/security/bodies.test.ts',
  'tests/security/damaged-data.test.ts',
  'tests/security/jobs-of-one-agent.test.ts',
  'tests/e2e/release.test.ts',
  'tests/e2e/schemathesis.test.ts',
  'tests/e2e/backup.test.ts',
  'tests/e2e/big-things.test.ts',
  'tests/e2e/replicas.test.ts',
  'tests/e2e/bucket.test.ts',
  'server/src/blobs/s3/bucket-faults.int.test.ts',
  'tests/technologies/maven.test.ts',
  'tests/technologies/retry-maven.test.ts',
  'tests/technologies/example.test.ts',
  'tests/technologies/retry-javascript.test.ts',
  'tests/browser/run.test.ts',
  'tests/browser/run-states.test.ts',
  'tests/browser/page-runs.test.ts',
  'tests/browser/report.test.ts',
  'tests/interop/operator/operator.test.ts',
  'tests/interop/agents/restarts.test.ts',
  'tests/interop/agents/workflows.test.ts',
  'tests/interop/clients/configuration.test.ts',
  'tests/interop/clients/watching.test.ts',
  'tests/interop/plugins/functions.test.ts',
  'tests/chaos/program.test.ts',
  'tests/chaos/replicas.test.ts',
  'tests/chaos/chaos.test.ts',
  'tests/chaos/big-log.test.ts',
];

/** The length of a bundle of files of one suite. A process goes on with the next file only if that is of its suite. */
const TOGETHER = 12;

export interface OrderedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly suite: string;
  /** Suites of a group run side by side, groups one after the other. */
  readonly group: number;
  /** Whether a process runs several files of the suite. */
  readonly sharesProcesses: boolean;
}

/**
 * The files of each suite are spread evenly over their group, in bundles where they share processes. In a suite, long ones come first.
 */
export function mixed<File extends OrderedFile>(files: readonly File[]): readonly File[] {
  const suites = Map.groupBy([...files].sort(longFirst), ({ suite }) => suite);
  return [...suites.values()]
    .flatMap((suite) => suite.map((file, index) => ({ file, at: placeOf(file, index, suite) })))
    .sort((a, b) => a.file.group - b.file.group || a.at - b.at)
    .map(({ file }) => file);
}

function placeOf({ sharesProcesses }: OrderedFile, index: number, suite: readonly unknown[]) {
  const together = sharesProcesses ? TOGETHER : 1;
  return (Math.floor(index / together) + 0.5) / Math.ceil(suite.length / together);
}

const longFirst = (a: OrderedFile, b: OrderedFile): number => rank(a) - rank(b);

function rank({ path }: OrderedFile): number {
  const index = LONG_FILES.indexOf(path);
  return index < 0 ? LONG_FILES.length : index;
}

/** Called by the test runner. Within a suite, the runner's order stays: failed, slow and large files first. */
export class MixedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const described = sorted.map((file) => ({
      file,
      path: relative(root, file.moduleId),
      suite: file.project.name,
      group: file.project.config.sequence.groupOrder,
      sharesProcesses: !file.project.config.isolate,
    }));
    return mixed(described).map(({ file }) => file);
  }
}
