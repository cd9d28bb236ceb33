import { type AgentRegistration, isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createRegistrationReader } from './registration.ts';

const GROUP = 'opentestfactory.org';
const read = createRegistrationReader(GROUP);

const body = (more: { metadata?: object; spec?: object; apiVersion?: unknown } = {}) => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'AgentRegistration',
  ...more,
  metadata: { name: 'one', ...more.metadata },
  spec: { tags: ['linux'], ...more.spec },
});

/** The `details.error` of the refusal. */
function errorOf(read: () => AgentRegistration): unknown {
  try {
    read();
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    expect([error.reason, error.message]).toEqual([
      'Invalid',
      'Not a valid AgentRegistration manifest.',
    ]);
    return error.details;
  }
  throw new Error('The body was not refused.');
}

const refused = (error: string) => ({ error });

test.each([
  ['v1', `apiVersion: must be "${GROUP}/v1alpha1"`],
  ['', `apiVersion: must be "${GROUP}/v1alpha1"`],
  [`${GROUP}/v1`, `apiVersion: must be "${GROUP}/v1alpha1"`],
  ['other.org/v1alpha1', `apiVersion: must be "${GROUP}/v1alpha1"`],
  [`${GROUP}/v1alpha1/x`, `apiVersion: must be "${GROUP}/v1alpha1"`],
  [1, 'apiVersion: must be a text'],
  [undefined, '"apiVersion" is missing'],
])('the version %j is refused: %s', (apiVersion, error) => {
  expect(errorOf(() => read({ ...body(), apiVersion }))).toMatchObject({
    error: expect.stringContaining(error),
  });
});

// HTTP 2.2: Version and kind of an AgentRegistration.
test('a server of another group takes its own, and the one that existing agents have built in', () => {
  const readOther = createRegistrationReader('other.org');
  for (const group of [GROUP, 'other.org']) {
    expect(readOther(body({ apiVersion: `${group}/v1alpha1` })).metadata.name).toBe('one');
  }
  expect(errorOf(() => readOther(body({ apiVersion: 'third.org/v1alpha1' })))).toEqual(
    refused(
      `apiVersion: must be one of "other.org/v1alpha1", "${GROUP}/v1alpha1", not "third.org/v1alpha1"`,
    ),
  );
});

test.each([
  ['', ''],
  ['default', 'default'],
  ['*', '*'],
  ['a,b', 'a,b'],
  [' a , b ', 'a,b'],
  ['a,b,a', 'a,b'],
  ['a, *', '*'],
])('the namespaces %j are kept as %j', (namespaces, kept) => {
  expect(read(body({ metadata: { namespaces } })).metadata.namespaces).toBe(kept);
});

test('a registration without namespaces stays without', () => {
  expect(read(body()).metadata).toEqual({ name: 'one' });
});

test.each([',', 'a,', ',a', 'a,,b', ' ', 'a b', 'a;b', '-a', 'a*', '**'])(
  // HTTP 2.2: `namespaces` is `*`, one name, or names with commas.
  'the namespaces %j are refused',
  (namespaces) => {
    expect(errorOf(() => read(body({ metadata: { namespaces } })))).toEqual(
      refused(
        'metadata.namespaces: must be a list of namespaces (*, or names with commas between them), ' +
          `not ${JSON.stringify(namespaces)}`,
      ),
    );
  },
);

test.each([[['robot']], [['linux']], [['windows', 'robot']], [['macos', 'macos']]])(
  'the tags %j are those of one system',
  (tags) => {
    expect(read(body({ spec: { tags } })).spec.tags).toEqual(tags);
  },
);

test.each([
  [['linux', 'windows'], '"linux", "windows"'],
  [['windows', 'robot', 'macos', 'linux'], '"linux", "macos", "windows"'],
  // Language 3.2: An environment has exactly one tag of a system.
])('the tags %j are refused: they are of several systems', (tags, systems) => {
  expect(errorOf(() => read(body({ spec: { tags } })))).toEqual(
    refused(`spec.tags: must have only one of ${systems}`),
  );
});
