// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { expect, test } from 'vitest';
import { runnableManifest } from './runnable-manifest.ts';

const GIVEN_ID = 'ddb9e2ad-c076-49bf-9418-5fbc843c0460';

test("additions of the server are removed from a workflow, and the author's parts stay", () => {
  const { manifest, files } = runnableManifest({
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'Workflow',
    metadata: {
      name: 'nightly',
      workflow_id: 'w',
      creationTimestamp: 't',
      annotations: { own: '1', 'tutti.files': { 'a.txt': 'in_0' } },
    },
    status: { phase: 'DONE' },
    variables: { A: '1' },
    resources: { files: ['a.txt', { name: 'b', url: 'https://example.com/b' }] },
    jobs: {
      outer: {
        jobs: {
          inner: {
            steps: [
              { run: 'x', id: GIVEN_ID },
              { uses: 'y', id: `${GIVEN_ID}-2` },
            ],
          },
        },
      },
      plain: { steps: [{ run: 'z', id: 'mine', with: { id: GIVEN_ID } }] },
    },
  });
  expect(manifest).toEqual({
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'Workflow',
    metadata: { name: 'nightly', annotations: { own: '1' } },
    variables: { A: '1' },
    resources: { files: ['a.txt', { name: 'b', url: 'https://example.com/b' }] },
    jobs: {
      outer: { jobs: { inner: { steps: [{ run: 'x' }, { uses: 'y' }] } } },
      plain: { steps: [{ run: 'z', id: 'mine', with: { id: GIVEN_ID } }] },
    },
  });
  expect(files).toEqual(['a.txt']);
});

test('the inputs that a run had become defaults, so that it can run again without them', () => {
  const { manifest } = runnableManifest({
    metadata: { name: 'x', annotations: { 'tutti.inputs': { who: 'me' } } },
    inputs: { who: { description: 'who', required: true }, other: { default: 1 } },
  });
  expect(manifest).toEqual({
    metadata: { name: 'x' },
    inputs: { who: { description: 'who', default: 'me' }, other: { default: 1 } },
  });
});

test('sections that servers publish in another form are as their author wrote them', () => {
  const jobs = {
    a: { strategy: { matrix: '${{ inputs.all }}' }, steps: [{ run: 'x', id: GIVEN_ID }] },
  };
  const { manifest } = runnableManifest({
    kind: 'Workflow',
    metadata: { name: 'n', workflow_id: 'w', 'tutti.as-written': { jobs } },
    jobs: { a: { steps: [{ run: 'x', id: GIVEN_ID }] } },
  });
  expect(manifest).toEqual({
    apiVersion: undefined,
    kind: 'Workflow',
    metadata: { name: 'n' },
    jobs: { a: { strategy: jobs.a.strategy, steps: [{ run: 'x' }] } },
  });
});
