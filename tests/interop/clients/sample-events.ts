/** Runs that go on for as long as a test wants, and what plugins publish about them. */
import { expect } from 'vitest';
import type { Api, Loose } from '../../support/api.ts';
import { oneJob, sh } from '../../support/runs.ts';

export const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** Its job waits for an environment that there is not. */
export const waiting = (name = 'waiting') => oneJob(name, [sh('true')], { 'runs-on': 'nowhere' });

/** A publication of a plugin about a run. */
export async function publish(
  server: Api,
  kind: string,
  id: string,
  more: Loose = {},
  metadata: Loose = {},
): Promise<void> {
  const { code } = await server.call('POST', '/publications', {
    body: {
      ...{ apiVersion: 'opentestfactory.org/v1alpha1', kind },
      metadata: { name: 'from a plugin', workflow_id: id, ...metadata },
      ...more,
    },
  });
  expect(code).toBe(200);
}
