import type { LoggedEvent } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const SECRET = 's3cret';
const ID = '11111111-2222-4333-8444-555555555555';
const metadata = {
  name: 'job',
  workflow_id: ID,
  namespace: 'default',
  creationTimestamp: '2026-01-01T12:00:00.000000',
};

const eventOf = (body: object, more: object = {}): LoggedEvent =>
  ({
    apiVersion: 'v1',
    kind: 'Notification',
    metadata: { ...metadata, ...more },
    ...body,
  }) as never;

/** A document of which a test looks at some entries. */
type Loose = { readonly metadata: Readonly<Record<string, unknown>> } & Readonly<
  Record<string, unknown>
>;

const shown = (event: LoggedEvent, masks: readonly string[] = [SECRET]) =>
  createRedactor(masks).shown(event, JSON.stringify(event)).event as unknown as Loose;

describe('masks hide', () => {
  test.each<[what: string, body: object, expected: object]>([
    [
      'events of other kinds',
      { kind: 'Custom', text: 'a s3cret' },
      { kind: 'Custom', text: 'a ***' },
    ],
    [
      'output',
      { spec: { 'tutti.output': ['a s3cret', 'b'] } },
      { spec: { 'tutti.output': ['a ***', 'b'] } },
    ],
    ['lines', { spec: { logs: ['a s3cret', 'b'] } }, { spec: { logs: ['a ***', 'b'] } }],
    ['scripts', { scripts: ['curl -u s3cret'] }, { scripts: ['curl -u ***'] }],
    ['variables', { variables: { A: 's3cret' } }, { variables: { A: '***' } }],
    [
      'variables with settings, and names',
      { variables: { s3cret: { value: 'x s3cret', verbatim: true } } },
      { variables: { '***': { value: 'x ***', verbatim: true } } },
    ],
    ['outputs', { outputs: { token: 's3cret' } }, { outputs: { token: '***' } }],
    [
      'inputs of functions',
      { step: { with: { a: ['s3cret'] } } },
      { step: { with: { a: ['***'] } } },
    ],
    ['contexts', { contexts: { needs: { a: 's3cret' } } }, { contexts: { needs: { a: '***' } } }],
    ['errors', { details: { error: 'no s3cret' } }, { details: { error: 'no ***' } }],
    ['reasons', { details: { reason: 's3cret' } }, { details: { reason: '***' } }],
    ['tags', { 'runs-on': ['s3cret'] }, { 'runs-on': ['***'] }],
    ['directories', { 'working-directory': '/s3cret' }, { 'working-directory': '/***' }],
    [
      'test results',
      {
        spec: {
          testResults: [
            { id: ID, name: 's3cret', status: 'FAILURE', failureDetails: { text: 's3cret' } },
          ],
        },
      },
      {
        spec: {
          testResults: [
            { id: ID, name: '***', status: 'FAILURE', failureDetails: { text: '***' } },
          ],
        },
      },
    ],
    [
      'names of files, not what tells them apart',
      { attachments: [`/tmp/${ID}-${ID}_0_s3cret.txt`] },
      { attachments: [`/tmp/${ID}-${ID}_0_***.txt`] },
    ],
    [
      'echoes of masks',
      { spec: { logs: ['+ echo ::add-mask::other'] } },
      { spec: { logs: ['+ echo ::add-mask::***'] } },
    ],
    [
      'no masks that are output like any other',
      { spec: { logs: ['::add-mask::other'] } },
      { spec: { logs: ['::add-mask::other'] } },
    ],
    [
      'what scripts write in another form',
      { scripts: ['@> "x.base64" echo YSBzM2NyZXQ= || exit /b', 'echo YSBzMw=='] },
      { scripts: ['@> "x.base64" echo *** || exit /b', 'echo ***'] },
    ],
    [
      'the same in steps of functions, and in echoes of shells',
      {
        steps: [{ run: "echo a\nprintf 's3\\143ret' > x" }],
        spec: { logs: ["+ printf 's3\\143ret'", 'echo YSBzM2NyZXQ='] },
      },
      {
        steps: [{ run: "echo a\nprintf '***' > x" }],
        spec: { logs: ["+ printf '***'", 'echo YS***='] },
      },
    ],
    ['all of the secrets', { secrets: { A: 'ab' } }, { secrets: { A: '***' } }],
  ])('%s', (_what, body, expected) => {
    expect(shown(eventOf(body))).toMatchObject(expected);
  });

  const NAMES = [
    ...['id', 'uuid', 'status', 'phase', 'needs', 'labels', 'namespace', 'kind', 'outcome'],
    ...['job_id', 'startTime', 'tutti.job', 'logs', 'attachments'],
  ];
  const entries = Object.fromEntries(NAMES.map((name) => [name, 's3cret']));
  const hidden = Object.fromEntries(NAMES.map((name) => [name, '***']));

  test.each<[where: string, of: (entries: object) => object]>([
    ['a matrix', (own) => ({ jobs: { a: { strategy: { matrix: own } } } })],
    ['inputs of steps', (own) => ({ jobs: { a: { steps: [{ with: own }] } } })],
    ['variables', (own) => ({ variables: own })],
    ['outputs', (own) => ({ outputs: own, spec: { 'tutti.outputs': own } })],
    ['inputs', (own) => ({ inputs: own })],
    ['contexts', (own) => ({ contexts: { matrix: own, needs: { a: own } } })],
    ['details of errors', (own) => ({ details: { more: own } })],
    ['entries of plugins', (own) => ({ spec: { 'example.com/a': { deep: [own] } } })],
    ['kinds of plugins', (own) => ({ kind: 'Custom', spec: { deep: [own] } })],
    ['settings', (own) => ({ jobs: { a: { steps: [{ id: 'a', more: own }] } } })],
  ])('an entry with the name of one that is kept, in %s', (_where, of) => {
    expect(shown(eventOf(of(entries)))).toMatchObject(of(hidden));
  });

  test('an entry with the name of one that is kept, in metadata', () => {
    const own = { 'tutti.matrix': entries, annotations: { 'tutti.inputs': entries, id: 's3cret' } };
    expect(shown(eventOf({}, own)).metadata).toMatchObject({
      'tutti.matrix': hidden,
      annotations: { 'tutti.inputs': hidden, id: '***' },
    });
  });

  test('a value in the place of an id or a state that is neither', () => {
    const event = eventOf({ spec: { outcome: { a: 's3cret' } } }, { job_id: [{ a: 's3cret' }] });
    expect(JSON.stringify(shown(event))).not.toContain(SECRET);
  });

  test('entries of kinds that only plugins know, with their names', () => {
    const event = eventOf({ kind: 'Custom', status: 's3cret', s3cret: { logs: ['a1'] } });
    expect(shown(event, [SECRET, '1'])).toMatchObject({
      kind: 'Custom',
      metadata,
      status: '***',
      '***': { logs: ['a***'] },
    });
  });

  test('beginnings of masks, where a text was cut', () => {
    const cutAway = { name: 's3cr…#case', failureDetails: { text: 'no s3cre…' } };
    const event = eventOf({
      spec: { testResults: [cutAway], 'tutti.general-errors': [{ message: 'no s3c…' }] },
    });
    expect(shown(event)).toMatchObject({
      spec: {
        testResults: [{ name: '***…#case', failureDetails: { text: 'no ***…' } }],
        'tutti.general-errors': [{ message: 'no ***…' }],
      },
    });
    expect(createRedactor([SECRET]).shownJson(JSON.stringify(event))).not.toContain('s3c');
  });

  test('directories that only look like ids', () => {
    const event = eventOf({ attachments: ['/tmp/s3cret_0_a'] });
    expect(shown(event)).toMatchObject({ attachments: ['/tmp/***_0_a'] });
  });

  test('names and paths of files, but for their ids', () => {
    const path = `/tmp/${ID}-${ID}_0_s3cret`;
    const file = { uuid: ID, type: 'text/s3cret', name: 's3cret' };
    const event = shown(eventOf({}, { attachments: { [path]: file }, artifacts: [path] }));
    const masked = `/tmp/${ID}-${ID}_0_***`;
    expect(event.metadata.attachments).toEqual({
      [masked]: { uuid: ID, type: 'text/***', name: '***' },
    });
    expect(event.metadata.artifacts).toEqual([masked]);
  });

  test('texts that a step masks, and all lines of a script that masks', () => {
    const actual = shown(eventOf({ spec: {} }, { 'tutti.masks': ['a'] }), ['a']);
    expect(actual.metadata).not.toHaveProperty('tutti.masks');
    expect(actual.metadata).toHaveProperty('tutti.masked', true);
    const taken = eventOf({ spec: {} }, { 'tutti.taken': { from: ID, jobs: {} } });
    expect(shown(taken, []).metadata).toEqual(metadata);
    const json = createRedactor([]).shownJson(JSON.stringify(taken));
    expect(JSON.parse(json).metadata).toEqual(metadata);
    const event = eventOf({ jobs: { a: { steps: [{ run: 'x\necho ::add-mask::abc\ny' }] } } });
    expect(shown(event, [])).toMatchObject({
      jobs: { a: { steps: [{ run: 'x\necho ::add-mask::***\ny' }] } },
    });
  });
});

describe('masks leave', () => {
  test('ids and states that clients and plugins depend on, whatever is masked', () => {
    const event = eventOf(
      {
        status: 0,
        spec: { outcome: 'success', 'tutti.waiting': { reason: 'busy', tags: ['linux'] } },
      },
      { job_id: ID, step_id: 'build', labels: { a: 'linux' }, channel_os: 'linux' },
    );
    const masks = ['default', 'job', 'build', 'linux', 'success', 'busy', ID.slice(0, 8)];
    const result = shown(event, masks);
    expect(result.metadata).toEqual(event.metadata);
    expect(result).toMatchObject({
      kind: 'Notification',
      status: 0,
      spec: { outcome: 'success', 'tutti.waiting': { reason: 'busy', tags: ['***'] } },
    });
  });

  test.each<[what: string, body: object]>([
    ['jobs', { jobs: { a: { needs: ['s3cret'], steps: [{ id: 's3cret', run: 'true' }] } } }],
    ['jobs of jobs', { jobs: { a: { jobs: { with: { needs: 's3cret', steps: [] } } } } }],
    ['steps', { steps: [{ id: 's3cret' }], hooks: [{ before: [{ id: 's3cret' }] }] }],
    ['commands for providers', { step: { id: 's3cret' } }],
    [
      'test results',
      { spec: { testResults: [{ id: 's3cret', status: 's3cret', attachment_origin: 's3cret' }] } },
    ],
    ['workers', { spec: { worker: { worker_id: 's3cret', status: 's3cret' } } }],
    ['the end', { kind: 'WorkflowCanceled', details: { status: 's3cret' } }],
    ['channels', { spec: { channelHandler: { channels: [{ status: { phase: 's3cret' } }] } } }],
    ['reasons to wait', { spec: { 'tutti.waiting': { reason: 's3cret', heldBy: 's3cret' } } }],
    ['what ends', { spec: { conclusion: 's3cret', 'tutti.job': 's3cret' } }],
  ])('ids and states in the places of the wire format: %s', (_what, body) => {
    const event = eventOf(body);
    expect(shown(event)).toEqual(event);
  });

  test('ids and states of jobs and test cases', () => {
    const { document } = createRedactor([SECRET]);
    const job = { uuid: 's3cret', status: { phase: 's3cret' }, metadata: { id: 's3cret' } };
    expect(document(job)).toEqual(job);
    const testCase = { status: 's3cret', executionHistory: [{ id: 's3cret', outcome: 's3cret' }] };
    expect(document(testCase)).toEqual(testCase);
  });

  test('the shortest masks count in lines, and elsewhere as whole texts', () => {
    const event = eventOf({ spec: { logs: ['a1'] }, variables: { A: 'a1', B: '1' } });
    expect(shown(event, ['1'])).toMatchObject({
      spec: { logs: ['a***'] },
      variables: { A: 'a1', B: '***' },
    });
  });

  test('an event that has nothing to hide is the same one', () => {
    const event = eventOf({ spec: { logs: ['fine'] } });
    expect(shown(event)).toBe(event);
    const json = JSON.stringify(event);
    expect(createRedactor([SECRET]).shownJson(json)).toBe(json);
  });
});

test('no text with a mask is left in free entries, however they are nested', () => {
  const value = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.stringMatching(/^[abc"\\é\n]{0,6}$/),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[abc]{1,5}$/), tie('tree'), { maxKeys: 3 }),
    ),
  })).tree;
  const masks = fc.array(fc.stringMatching(/^[abc"\\é]{3,4}$/), { maxLength: 3 });
  fc.assert(
    fc.property(value, masks, (tree, given) => {
      const event = eventOf({ step: { with: { entry: tree } }, outputs: { o: tree } });
      const json = createRedactor(given).shownJson(JSON.stringify(event));
      const { step, outputs } = JSON.parse(json);
      const texts: string[] = [];
      JSON.stringify([step.with.entry, outputs.o], (key, each) => {
        texts.push(key, typeof each === 'string' ? each : '');
        return each;
      });
      for (const mask of given) expect(texts.filter((text) => text.includes(mask))).toEqual([]);
    }),
  );
});

test('documents of other kinds are masked likewise', () => {
  const document = { kind: 'TestCase', metadata: { name: 'a#s3cret', id: ID }, status: 'SUCCESS' };
  expect(createRedactor([SECRET]).document(document)).toEqual({
    kind: 'TestCase',
    metadata: { name: 'a#***', id: ID },
    status: 'SUCCESS',
  });
});
