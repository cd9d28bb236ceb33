/** Malformed answers to a waiting run: it ends at once, and gives the reason. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../support/api.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { ended, logOf, type Manifest, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;
let inbox: Inbox;
/** The publications that answer an event, by its kind. */
const answers = new Map<string, (event: Loose) => Manifest | null>();

const V1 = 'opentestfactory.org/v1';

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'one' });
  inbox = await openInbox((event) => {
    const body = answers.get(event.kind as string)?.(event) ?? null;
    if (body !== null) void server.call('POST', '/publications', { body });
  });
  for (const matchKind of ['GeneratorCommand', 'ProviderCommand', 'ExecutionCommand']) {
    const matchLabels =
      matchKind === 'ExecutionCommand' ? {} : { 'opentestfactory.org/categoryPrefix': 'broken' };
    const selector = { matchKind, ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}) };
    await server.call('POST', '/subscriptions', {
      body: {
        apiVersion: V1,
        kind: 'Subscription',
        metadata: { name: matchKind },
        spec: { selector, subscriber: { endpoint: inbox.endpoint } },
      },
    });
  }
});

afterAll(async () => {
  await inbox.close();
  await bench.close();
});

const ends = async (workflow: Manifest): Promise<string> => {
  const id = await start(server, workflow);
  expect(await ended(server, id)).toBe('FAILED');
  return await logOf(server, id);
};

const jobs = { a: { steps: [sh('true')] } };

test.each<[what: string, content: Manifest, why: string]>([
  [
    'outputs that are a list',
    { apiVersion: V1, jobs, outputs: ['x'] },
    'outputs: must be an object, not a list.',
  ],
  [
    'outputs that are a text',
    { apiVersion: V1, jobs, outputs: 'x' },
    'outputs: must be an object, not "x".',
  ],
  [
    'outputs that are null',
    { apiVersion: V1, jobs, outputs: null },
    'outputs: must be an object, not null.',
  ],
  ['no version', { jobs }, '"apiVersion" is missing.'],
  [
    'wrong outputs and wrong jobs',
    { apiVersion: V1, jobs: {}, outputs: [] },
    'outputs: must be an object, not a list. jobs: must not be empty.',
  ],
])('a generator that gives %s ends the run', async (_, content, why) => {
  answers.set('GeneratorCommand', ({ metadata }) => ({
    kind: 'GeneratorResult',
    metadata,
    ...content,
  }));
  const log = await ends({
    metadata: { name: 'generated' },
    jobs: { g: { generator: 'broken/plan@v1', 'runs-on': 'linux' } },
  });
  expect(log).toContain(`The generator of job "g" gave jobs that are not valid: ${why}`);
});

test.each<[what: string, content: Manifest, why: string]>([
  ['no steps', { apiVersion: V1 }, '"steps" is missing.'],
  [
    'steps and outputs that are none',
    { apiVersion: V1, steps: [{ run: 1 }], outputs: ['x'] },
    'steps[0].run: must be a text, not 1. outputs: must be an object, not a list.',
  ],
  [
    'no step that it answers',
    { apiVersion: V1, steps: [], metadata: { step_id: null } },
    'metadata.step_id: must be a text, not null.',
  ],
])('a provider that gives %s ends the run', async (_, content, why) => {
  answers.set('ProviderCommand', ({ metadata }) => ({
    kind: 'ProviderResult',
    ...content,
    metadata: { ...(metadata as Manifest), ...(content.metadata as Manifest) },
  }));
  const log = await ends(oneJob('provided', [{ uses: 'broken/function@v1' }]));
  expect(log).toContain(
    `Function "broken/function@v1" of job "main" gave an answer that is not valid: ${why}`,
  );
});

test('a channel whose offer is none is not taken, and a result that is none fails its step', async () => {
  const channel = {
    channel_id: '00000000-0000-4000-8000-00000000000c',
    channelhandler_id: '00000000-0000-4000-8000-00000000000d',
    channel_temp: '/tmp',
  };
  const own = (metadata: Loose, more: Manifest, content: Manifest): Manifest => ({
    apiVersion: V1,
    kind: 'ExecutionResult',
    metadata: { ...metadata, ...channel, ...more },
    status: 0,
    ...content,
  });
  answers.set('ExecutionCommand', (event) => {
    const metadata = event.metadata as Loose;
    if (!(event['runs-on'] as readonly string[]).includes('elsewhere')) return null;
    if (metadata.step_sequence_id !== -1) return own(metadata, {}, { outputs: { word: 5 } });
    const body = own(metadata, { channel_os: 'amiga' }, {});
    void server
      .call('POST', '/publications', { body })
      .then(() =>
        server.call('POST', '/publications', { body: own(metadata, { channel_os: 'linux' }, {}) }),
      );
    return null;
  });
  const log = await ends(oneJob('elsewhere', [sh('true')], { 'runs-on': 'elsewhere' }));
  expect(log).toContain(
    'The offer of an environment cannot be understood: metadata.channel_os: must be one of "linux", "macos", "windows", not "amiga".',
  );
  expect(log).toContain(
    'The result of the environment cannot be understood: outputs.word: must be a text, not 5.',
  );
});

test.each<[what: string, details: unknown, expected: string]>([
  ['a text', 'It broke.', 'It broke.'],
  ['something else', { code: 5 }, '{"code":5}'],
  [
    'nothing',
    null,
    'The details of an error cannot be read: details: must be an object, not null.',
  ],
])('an error that is told as %s ends the run', async (_, details, expected) => {
  answers.set('ProviderCommand', ({ metadata }) => ({
    apiVersion: V1,
    kind: 'ExecutionError',
    metadata,
    details,
  }));
  expect(await ends(oneJob('wrong', [{ uses: 'broken/function@v1' }]))).toContain(expected);
});
