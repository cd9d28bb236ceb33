/** The examples of the workflow language are workflows. In tests/e2e, examples that only need a shell run. */
import { describe, expect, test } from 'vitest';
import { createManifestCheck } from '../../server/src/services/receptionist/manifest-checks.ts';
import { workflowExamples } from '../support/workflow-examples.ts';

const check = createManifestCheck('opentestfactory.org');

describe('the workflows that documents show are taken', () => {
  test.each(workflowExamples())('$place', ({ manifest }) => {
    const checked = check({ value: manifest, placeOf: () => null });
    expect(checked).toMatchObject({ manifest, warnings: [] });
  });
});
