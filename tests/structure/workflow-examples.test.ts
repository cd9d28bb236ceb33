/** The examples of the workflow language are workflows. That those which need no more than a shell run, tests/e2e holds. */
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
