/** What plugins of each generation get (wire facts 2.2 and 1.13). */
import { describe, expect, test } from 'vitest';
import { eventInVersion, versionFor } from './event-versions.ts';
import type { LoggedEvent } from './events.ts';

const GROUP = 'example.org';

const event = (kind: string, more: object = {}): LoggedEvent =>
  // Nothing else of an event is looked at.
  ({ apiVersion: `${GROUP}/v1beta1`, kind, metadata: {}, ...more }) as unknown as LoggedEvent;

test.each<[kind: string, asked: string | null, given: string]>([
  ['ProviderCommand', null, `${GROUP}/v1beta1`],
  ['ProviderCommand', `${GROUP}/v1alpha1`, `${GROUP}/v1alpha1`],
  ['ProviderCommand', `${GROUP}/v1beta1`, `${GROUP}/v1beta1`],
  ['ProviderCommand', `${GROUP}/v1`, `${GROUP}/v1`],
  ['ProviderCommand', `${GROUP}/v2`, `${GROUP}/v1beta1`],
  ['ProviderCommand', 'other.org/v1', `${GROUP}/v1beta1`],
  ['ProviderCommand', 'v1', `${GROUP}/v1beta1`],
  ['WorkflowCompleted', `${GROUP}/v1`, `${GROUP}/v1`],
  ['Notification', null, `${GROUP}/v1alpha1`],
  ['Notification', 'v1', 'v1'],
  ['Notification', `${GROUP}/v1alpha2`, `${GROUP}/v1alpha2`],
  ['ExecutionResult', `${GROUP}/v1`, `${GROUP}/v1`],
  ['Mine', `${GROUP}/v1`, `${GROUP}/v1beta1`],
])('%s asked for in version %s comes in version %s', (kind, asked, given) => {
  expect(versionFor(GROUP, event(kind), asked)).toBe(given);
});

describe('a command', () => {
  const plain = event('ExecutionCommand', { 'runs-on': ['linux'], variables: { A: 'a' } });

  test('that is asked for in its own version is the same', () => {
    expect(eventInVersion(plain, `${GROUP}/v1beta1`)).toBe(plain);
  });

  test('has the version that was asked for', () => {
    expect(eventInVersion(plain, `${GROUP}/v1`)).toEqual({ ...plain, apiVersion: `${GROUP}/v1` });
  });

  const verbatim = { B: { value: '$b', verbatim: true }, C: { value: 'c' }, D: 'd' };

  test.each(['ExecutionCommand', 'ProviderCommand'])(
    '%s of the first version has variables that are texts',
    (kind) => {
      const variables = verbatim;
      const more = { 'runs-on': ['x'], variables, contexts: {}, step: { uses: 'a', variables } };
      const expected = { B: '$b', C: 'c', D: 'd' };
      const given = eventInVersion(event(kind, more), `${GROUP}/v1alpha1`);
      const { variables: own, step } = Object(given);
      expect(kind === 'ExecutionCommand' ? own : step.variables).toEqual(expected);
      const later = eventInVersion(event(kind, more), `${GROUP}/v1beta1`);
      expect(later).toEqual(event(kind, more));
    },
  );

  test.each([
    ['v1alpha1', ['windows']],
    ['v1beta1', ['windows']],
    ['v1', []],
  ])('without tags has in version %s the tags %j', (version, tags) => {
    const step = { uses: 'a' };
    for (const command of [
      event('ExecutionCommand', { 'runs-on': [], metadata: { channel_os: 'windows' } }),
      event('ProviderCommand', { 'runs-on': [], contexts: { runner: { os: 'windows' } }, step }),
    ]) {
      expect(eventInVersion(command, `${GROUP}/${version}`)).toHaveProperty(['runs-on'], tags);
    }
  });

  test('that looks for an environment and has no tags stays without', () => {
    const request = event('ExecutionCommand', { 'runs-on': [] });
    expect(eventInVersion(request, `${GROUP}/v1beta1`)).toBe(request);
  });
});
