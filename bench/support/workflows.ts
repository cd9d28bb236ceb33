/** The workflows that are measured. */

const manifest = (jobs: object) => ({
  apiVersion: 'opentestfactory.org/v1',
  kind: 'Workflow',
  metadata: { name: 'benchmark' },
  jobs,
});

/** One job with one step. */
export const oneStep = manifest({
  only: { 'runs-on': 'linux', steps: [{ run: 'true' }] },
});

/** The same with a tag that no other run asks for. */
export const oneStepOn = (tag: string) =>
  manifest({ only: { 'runs-on': tag, steps: [{ run: 'true' }] } });

/** One job with `count` steps. */
export const manySteps = (count: number) =>
  manifest({
    only: { 'runs-on': 'linux', steps: Array.from({ length: count }, () => ({ run: 'true' })) },
  });

/** `count` jobs, each of which needs the one before. */
export function chain(count: number) {
  const jobs = Array.from({ length: count }, (_, index) => [
    `job${index}`,
    {
      'runs-on': 'linux',
      ...(index === 0 ? {} : { needs: [`job${index - 1}`] }),
      steps: [{ run: 'true' }],
    },
  ]);
  return manifest(Object.fromEntries(jobs));
}

/** `count` jobs, none of which needs another. */
export const sideBySide = (count: number) =>
  manifest(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `job${index}`,
        { 'runs-on': 'linux', steps: [{ run: 'true' }] },
      ]),
    ),
  );
