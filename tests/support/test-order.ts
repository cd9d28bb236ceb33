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
  'tests/e2e/schemathesis.test.ts',
  'tests/e2e/backup.test.ts',
  'tests/e2e/big-things.test.ts',
  'tests/e2e/replicas.test.ts',
  'tests/e2e/bucket.test.ts',
  'server/src/blobs/s3/bucket-faults.int.test.ts',
  'tests/technologies/maven.test.ts',
  'tests/technologies/example.test.ts',
  'tests/browser/run.test.ts',
  'tests/interop/operator/operator.test.ts',
  'tests/interop/agents/restarts.test.ts',
  'tests/interop/agents/workflows.test.ts',
  'tests/interop/clients/configuration.test.ts',
  'tests/interop/clients/watching.test.ts',
  'tests/interop/plugins/functions.test.ts',
  'tests/chaos/program.test.ts',
  'tests/chaos/chaos.test.ts',
  'tests/chaos/big-log.test.ts',
];

export interface OrderedFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly suite: string;
  /** Suites of a group run side by side, groups one after the other. */
  readonly group: number;
}

/** Within a group, the files of each suite are spread evenly from the first to the last. In a suite, long ones come first. */
export function mixed<File extends OrderedFile>(files: readonly File[]): readonly File[] {
  const suites = Map.groupBy([...files].sort(longFirst), ({ suite }) => suite);
  return [...suites.values()]
    .flatMap((suite) => suite.map((file, index) => ({ file, at: (index + 0.5) / suite.length })))
    .sort((a, b) => a.file.group - b.file.group || a.at - b.at)
    .map(({ file }) => file);
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
    }));
    return mixed(described).map(({ file }) => file);
  }
}
