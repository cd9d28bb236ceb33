// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Events as plugins of each generation get them (wire facts 2.2 and 1.13). */
import { describe, expect, test } from 'vitest';
import {
  asWritten,
  eventInVersion,
  isPublishedText,
  loggedEvent,
  publishedEvent,
  versionFor,
  withOwnVersion,
} from './event-versions.ts';
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

  test.each([
    ['v1alpha1', null],
    ['v1beta1', null],
    ['v1', []],
  ])('that looks for any environment has in version %s the tags %j', (version, tags) => {
    const request = event('ExecutionCommand', { 'runs-on': [], scripts: [] });
    const given = eventInVersion(request, `${GROUP}/${version}`);
    expect(given === null ? null : Object(given)['runs-on']).toEqual(tags);
  });
});

/** Content that each version knows, and one that only later versions do; what an older one makes of it. */
const CONTENT: readonly (readonly [
  kind: string,
  content: object,
  version: string,
  older: object,
])[] = [
  ['Workflow', { jobs: {} }, 'v1beta1', { jobs: {} }],
  ['Workflow', { secrets: { A: 'a' }, jobs: {} }, 'v1beta1', { jobs: {} }],
  [
    'Workflow',
    { inputs: { a: {} }, concurrency: { group: 'g' }, 'timeout-minutes': 3, jobs: {} },
    'v1',
    { jobs: {} },
  ],
  [
    'Workflow',
    { jobs: { a: { uses: './b', with: { c: 1 } }, d: { jobs: { e: {} } } } },
    'v1',
    { jobs: { a: { generator: './b', with: { c: 1 } }, d: { generator: '.jobs' } } },
  ],
  [
    'Workflow',
    { jobs: { a: { 'runs-on': ['x', '${{ b }}'], 'timeout-minutes': '${{ 1 }}', steps: [] } } },
    'v1',
    { jobs: { a: { 'runs-on': ['x'], steps: [] } } },
  ],
  [
    'Workflow',
    { jobs: { a: { steps: [{ shell: 'sh' }] } } },
    'v1beta1',
    { jobs: { a: { steps: [{ shell: 'sh' }] } } },
  ],
  [
    'GeneratorResult',
    { jobs: { a: { steps: [{ shell: 'sh' }] } } },
    'v1',
    { jobs: { a: { steps: [{}] } } },
  ],
  ['GeneratorResult', { jobs: {}, outputs: { a: 'b' } }, 'v1', { jobs: {} }],
  ['ProviderResult', { steps: [{ 'continue-on-error': '${{ a }}' }] }, 'v1', { steps: [{}] }],
  ['ProviderResult', { steps: [], hooks: [], outputs: { a: 'b' } }, 'v1', { steps: [] }],
  ['WorkflowCompleted', { outputs: { a: 'b' } }, 'v1', {}],
  ['WorkflowCanceled', { details: {} }, 'v1beta1', { details: {} }],
];

test.each(CONTENT)('%s with %j is of version %s', (kind, content, version, older) => {
  const given = event(kind, content);
  const own = withOwnVersion(
    kind.startsWith('WorkflowC') ? { ...given, apiVersion: `${GROUP}/v1alpha1` } : given,
  );
  const expected = kind === 'WorkflowCanceled' ? 'v1alpha1' : version;
  expect(own.apiVersion).toBe(`${GROUP}/${expected}`);
  expect(withOwnVersion(own)).toBe(own);
  const { apiVersion: _, ...first } = Object(eventInVersion(given, `${GROUP}/v1alpha1`));
  expect(first).toEqual({ kind, metadata: {}, ...older });
});

test('an event keeps the version that a plugin named, unless that has none of its content or no schema', () => {
  const named = (apiVersion: string, content: object) =>
    withOwnVersion({ ...event('ProviderResult', content), apiVersion }).apiVersion;
  expect(named(`${GROUP}/v1alpha1`, { steps: [] })).toBe(`${GROUP}/v1alpha1`);
  expect(named(`${GROUP}/v1`, { steps: [] })).toBe(`${GROUP}/v1`);
  const variables = { A: { value: 'a', verbatim: true } };
  expect(named(`${GROUP}/v1alpha1`, { steps: [{ variables }] })).toBe(`${GROUP}/v1beta1`);
  expect(named(`${GROUP}/v9`, { steps: [] })).toBe(`${GROUP}/v1beta1`);
});

describe('what is published', () => {
  const workflow = (content: object) =>
    event('Workflow', { metadata: { name: 'w', workflow_id: 'i' }, jobs: {}, ...content });

  test('is the same object where it is valid', () => {
    const valid = workflow({ variables: { A: 'a' } });
    expect(publishedEvent(valid)).toBe(valid);
  });

  test('is seen by the text of the log, unless something of it has to change', () => {
    const text = (content: object) => JSON.stringify(loggedEvent(workflow(content)));
    expect(isPublishedText(text({}))).toBe(true);
    const inputs = { inputs: { a: {} } };
    expect(isPublishedText(text(inputs))).toBe(true);
    expect(JSON.parse(text(inputs))).toEqual({ ...workflow(inputs), apiVersion: `${GROUP}/v1` });
    expect(isPublishedText(text({ variables: {} }))).toBe(false);
    expect(isPublishedText(JSON.stringify(workflow({})))).toBe(false);
    const other = event('Mine');
    expect(loggedEvent(other)).toBe(other);
  });

  test('has texts in the place of flags that earlier versions wrote, and leaves those of plugins', () => {
    const spec = { 'tutti.step-ended': true, 'tutti.keep-workspace': false, 'own.flag': true };
    const notification = { ...event('Notification', { spec }), apiVersion: 'v1' };
    expect(publishedEvent(notification)).toEqual({
      ...notification,
      spec: { 'tutti.step-ended': 'true', 'tutti.keep-workspace': 'false', 'own.flag': true },
    });
  });

  test('keeps beside it what the author of a workflow wrote and the schema does not have', () => {
    const matrix = { flag: [true, null], n: [1], x: '${{ a }}', include: [{ n: 1, flag: false }] };
    const jobs = { a: { strategy: { matrix }, outputs: { o: 5, p: { value: 'q' } }, steps: [] } };
    const written = workflow({ 'timeout-minutes': 3, variables: {}, jobs });
    const published = publishedEvent(written);
    expect(published).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      metadata: { name: 'w' },
      jobs: {
        a: {
          strategy: {
            matrix: { flag: ['true', 'null'], n: [1], include: [{ n: '1', flag: 'false' }] },
          },
          outputs: { o: '5', p: { value: 'q' } },
        },
      },
    });
    expect(published).not.toHaveProperty('variables');
    const { variables: _, ...others } = Object(written);
    expect(asWritten(published)).toEqual({ ...others, apiVersion: `${GROUP}/v1` });
  });

  test('has the lists without entries of results of workflows, which clients need', () => {
    const result = event('WorkflowResult', { metadata: { attachments: {} }, attachments: [] });
    const own = { ...result, apiVersion: `${GROUP}/v1alpha1` };
    expect(publishedEvent(own)).toBe(own);
    expect(eventInVersion(own, own.apiVersion)).toEqual({
      ...own,
      metadata: {},
      attachments: undefined,
    });
  });
});
