/** A provider in another process: it subscribes to the calls of its functions, and answers each with steps. */
import { onTestFinished } from 'vitest';
import { type Api, detailsOf, type Loose } from './api.ts';
import { openInbox } from './inbox.ts';
import type { Manifest } from './runs.ts';

/** `prefix` is that of its functions; `stepsOf` gets the `with` of each call. Both end with the test. */
export async function providePlugin(
  server: Api,
  prefix: string,
  stepsOf: (inputs: Loose) => readonly Manifest[],
): Promise<void> {
  const inbox = await openInbox((command) => {
    const { metadata, step } = command as { metadata: Loose; step: { with?: Loose } };
    const apiVersion = 'opentestfactory.org/v1beta1';
    const steps = stepsOf(step.with ?? {});
    const body = { apiVersion, kind: 'ProviderResult', metadata, steps };
    void server.call('POST', '/publications', { body });
  });
  onTestFinished(() => inbox.close());
  const selector = {
    matchKind: 'ProviderCommand',
    matchLabels: { 'opentestfactory.org/categoryPrefix': prefix },
  };
  const { uuid } = detailsOf(
    await server.call('POST', '/subscriptions', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Subscription',
        metadata: { name: prefix },
        spec: { selector, subscriber: { endpoint: inbox.endpoint } },
      },
    }),
  );
  onTestFinished(async () => {
    await server.call('DELETE', `/subscriptions/${uuid}`);
  });
}
