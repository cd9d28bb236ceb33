/** The examples of the workflow language are workflows. In tests/e2e, examples that only need a shell run. */
import { describe, expect, test } from 'vitest';
import { checkManifest } from '../../server/src/services/receptionist/read-workflow.ts';
import { workflowExamples } from '../support/workflow-examples.ts';

const READING = { apiGroup: 'opentestfactory.org', use: 'started' } as const;

describe('the workflows that documents show are taken', () => {
  test.each(workflowExamples())('$place', ({ manifest }) => {
    const checked = checkManifest({ value: manifest, placeOf: () => null }, READING);
    expect(checked).toMatchObject({ manifest, warnings: [] });
  });
});
