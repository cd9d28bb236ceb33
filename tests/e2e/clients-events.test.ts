/**
 * Events as existing clients read them. The numbers are those of the checklist of what these clients require of a server: status
 * pages and watching, shapes of events, attachments.
 */
import type { RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  detailsOf,
  eventsOf,
  followPages,
  itemsOf,
  type Loose,
  nextLinkOf,
} from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { allEvents, ended, logged, logOf, oneJob, only, sh, start } from '../support/runs.ts';
import { SAMPLE_CONTENT, useSample } from '../support/sample-run.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const sample = useSample();
const { get } = sample;

const pathOf = (id: string) => `/workflows/${id}/status`;

/** A publication of a plugin about a run. */
async function publish(kind: string, id: string, more: Loose): Promise<void> {
  const { metadata, ...others } = more;
  const answer = await sample.server.call('POST', '/publications', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind,
      metadata: { name: 'from a plugin', workflow_id: id, ...(metadata as object | undefined) },
      ...others,
    },
  });
  expect(answer.code).toBe(200);
}

const note = (id: string, line: string) =>
  publish('Notification', id, { metadata: { name: 'group notification' }, spec: { logs: [line] } });

describe('status pages and watching', () => {
  test('16, 22: the next URL is absolute, and there only if items remain', async () => {
    const answer = await get(pathOf(sample.done), 'per_page=1');
    expect(itemsOf(answer)).toHaveLength(1);
    expect(detailsOf(answer).status).toBe('DONE');
    expect(answer.headers.get('link')).toMatch(/<http:\/\/[^>]+>; rel="next"/);
    expect(nextLinkOf(await get(pathOf(sample.done)))).toBeNull();
  });

  test('24: next links give every event once, and pages that were read only grow', async () => {
    const { server } = sample;
    const gate = createGate(sample.bench);
    const id = await start(server, oneJob('growing', [gate.step]));
    await logged(server, id, '] held\n');
    const before = await followPages(server, await get(pathOf(id), 'per_page=2'));
    await gate.open();
    expect(await ended(server, id)).toBe('DONE');
    const after = await followPages(server, await get(pathOf(id), 'per_page=2'));
    const earlier = before.flatMap(eventsOf);
    expect(after.flatMap(eventsOf).slice(0, earlier.length)).toEqual(earlier);
    expect(after.flatMap(eventsOf)).toEqual(await allEvents(server, id));
  });

  test('25: a page that is full has a next link as soon as there is one event more', async () => {
    const { waiting } = sample;
    const { length } = await allEvents(sample.server, waiting);
    const full = () => get(pathOf(waiting), `per_page=${length}`);
    expect(nextLinkOf(await full())).toBeNull();
    await note(waiting, 'one more');
    expect(nextLinkOf(await full())).toMatch(/page=2/);
  });

  test('26: the status is the same on every page and with any selector', async () => {
    for (const query of ['per_page=1', 'page=99', 'fieldSelector=kind==None', 'labelSelector=a']) {
      expect(detailsOf(await get(pathOf(sample.done), query)).status, query).toBe('DONE');
      expect(detailsOf(await get(pathOf(sample.waiting), query)).status, query).toBe('PENDING');
    }
  });

  test.each([
    ['WorkflowCompleted', 'DONE', 'true'],
    ['WorkflowCanceled', 'FAILED', 'false'],
  ])('27, 28: %s comes last, and at once with the status %s', async (kind, status, command) => {
    const id = await start(sample.server, oneJob('ending', [sh(command)]));
    const events = await eventually('the end', async () => {
      const answer = await get(pathOf(id));
      const kinds = eventsOf(answer).map((event) => event.kind);
      const isOver = detailsOf(answer).status === status;
      expect(kinds.includes(kind as RunEvent['kind'])).toBe(isOver);
      return isOver ? kinds : null;
    });
    expect(events.at(-1)).toBe(kind);
    expect(events.at(-2)).toBe('ExecutionResult');
  });

  test('29: what comes after the end is appended, and the status stays', async () => {
    const { server } = sample;
    const id = await start(server, oneJob('late', [sh('exit 1')]));
    expect(await ended(server, id)).toBe('FAILED');
    await publish('WorkflowResult', id, { metadata: { request_id: UNKNOWN } });
    await note(id, 'late words');
    const events = await allEvents(server, id);
    expect(events.slice(-3).map(({ kind }) => kind)).toEqual([
      'WorkflowCanceled',
      'WorkflowResult',
      'Notification',
    ]);
    expect(detailsOf(await get(pathOf(id))).status).toBe('FAILED');
    expect(await logOf(server, id)).toMatch(/\] late words\n$/);
  });
});

describe('shapes of events', () => {
  test('30: every event has what clients print before its text', () => {
    for (const event of sample.events) {
      expect(event).toMatchObject({
        apiVersion: expect.stringMatching(/^(?:opentestfactory\.org\/)?v1/),
        kind: expect.any(String),
        metadata: {
          name: expect.any(String),
          workflow_id: sample.done,
          namespace: 'default',
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
        },
      });
    }
  });

  test('31: Workflow is the first event, and its steps have ids', () => {
    const [first] = sample.events;
    expect(first?.kind).toBe('Workflow');
    const [workflow] = only(sample.events, 'Workflow');
    const steps = Object.values(workflow?.jobs ?? {}).flatMap((job) => job.steps ?? []);
    expect(steps).toHaveLength(3);
    for (const { id } of steps) expect(id).toMatch(UUID);
  });

  test('32, 33: ExecutionCommands are numbered per job, and nested ones name their parents', () => {
    const [workflow] = only(sample.events, 'Workflow');
    const [parent, own] = workflow?.jobs.first?.steps ?? [];
    const commands = only(sample.events, 'ExecutionCommand').filter(
      ({ metadata }) => metadata.name === 'first',
    );
    expect(
      commands.map(({ metadata: { step_sequence_id: sequence, step_origin: origin } }) => [
        sequence,
        origin,
      ]),
    ).toEqual([
      [-1, []],
      [0, [parent?.id]],
      [1, []],
      [-2, []],
    ]);
    expect(commands[0]?.['runs-on']).toEqual(['linux']);
    expect(commands[2]?.metadata.step_id).toBe(own?.id);
    for (const { metadata, scripts } of commands) {
      expect(metadata).toMatchObject({
        job_id: expect.stringMatching(UUID),
        job_origin: [],
      });
      expect(scripts).toEqual(expect.any(Array));
    }
  });

  test('34: ProviderCommand has its step, with id and inputs', () => {
    const [command] = only(sample.events, 'ProviderCommand');
    expect(command).toMatchObject({
      metadata: {
        name: 'actions/create-file@v1',
        step_id: command?.step.id,
        step_origin: [],
        labels: {
          'opentestfactory.org/category': 'create-file',
          'opentestfactory.org/categoryPrefix': 'actions',
          'opentestfactory.org/categoryVersion': 'v1',
        },
      },
      step: { id: expect.stringMatching(UUID), with: { data: SAMPLE_CONTENT } },
      'runs-on': ['linux'],
    });
  });

  test('36: ExecutionResult has ids, origin, number, status, logs and system', () => {
    const results = only(sample.events, 'ExecutionResult');
    expect(results).toHaveLength(7);
    for (const result of results) {
      expect(result).toMatchObject({
        metadata: {
          job_id: expect.stringMatching(UUID),
          step_id: expect.stringMatching(UUID),
          step_origin: expect.any(Array),
          step_sequence_id: expect.any(Number),
          channel_os: 'linux',
        },
        status: 0,
      });
    }
    expect(results.find(({ logs = [] }) => logs.includes('shown'))).toBeDefined();
  });

  test('37, 49: attachments are found from the events alone, by path, name and id', () => {
    const found = only(sample.events, 'ExecutionResult').flatMap(({ attachments = [], metadata }) =>
      attachments.map((path) => ({ path, ...metadata.attachments?.[path] })),
    );
    expect(found).toEqual([
      {
        path: expect.stringMatching(/^\/tmp\/[^_]+_1_left\.txt$/),
        uuid: expect.stringMatching(UUID),
        type: 'text/plain',
      },
      {
        path: expect.stringMatching(/^\/tmp\/[^_]+_0_report\.xml$/),
        uuid: expect.stringMatching(UUID),
        type: expect.stringContaining('junit'),
      },
    ]);
  });

  test('38: WorkflowResult has its attachments, also when the plugin sent none', async () => {
    const { server, waiting } = sample;
    await publish('WorkflowResult', waiting, { metadata: { request_id: UNKNOWN } });
    const query = `fieldSelector=kind==WorkflowResult,metadata.request_id==${UNKNOWN}`;
    const [result] = eventsOf(await server.call('GET', pathOf(waiting), { query }));
    expect(result).toMatchObject({ attachments: [], metadata: { attachments: {} } });
  });

  test('39, 42, 44: a killed workflow is FAILED, and its last event says why', async () => {
    const { server } = sample;
    const id = await start(server, oneJob('killed', [sh('true')], { 'runs-on': 'nowhere' }));
    const query = 'dryRun=false&reason=too+late&source=me%20too';
    expect((await server.call('DELETE', `/workflows/${id}`, { query })).code).toBe(200);
    expect(await ended(server, id)).toBe('FAILED');
    const [end] = only(await allEvents(server, id), 'WorkflowCanceled');
    expect(end?.details).toEqual({ status: 'cancelled', reason: 'too late', source: 'me too' });
  });

  test('40: ExecutionError says what went wrong, and ends the workflow', async () => {
    const { server } = sample;
    const wrong = sh(`echo \${{ fromJSON(variables.TEXT) }}`, { variables: { TEXT: 'no JSON' } });
    const id = await start(server, oneJob('wrong', [wrong]));
    expect(await ended(server, id)).toBe('FAILED');
    const events = await allEvents(server, id);
    const [error] = only(events, 'ExecutionError');
    expect(error?.details.error).toMatch(/fromJSON/);
    const [end] = only(events, 'WorkflowCanceled');
    expect(end?.details).not.toHaveProperty('status');
  });

  test('41: Notifications have a name and lists of lines', async () => {
    const notes = only(await allEvents(sample.server, sample.waiting), 'Notification');
    expect(notes.length).toBeGreaterThan(0);
    for (const { metadata, spec } of notes) {
      expect(metadata.name).toEqual(expect.any(String));
      expect(spec.logs ?? []).toEqual(expect.any(Array));
    }
  });
});

describe('attachments', () => {
  const attached = () =>
    only(sample.events, 'ExecutionResult')
      .flatMap(({ metadata }) => Object.values(metadata.attachments ?? {}))
      .find(({ type }) => type === 'text/plain')?.uuid ?? '';

  test('46, 48: a file comes as it is, under its id and name; HEAD has the same headers', async () => {
    const path = `/workflows/${sample.done}/files/${attached()}`;
    const answer = await get(path);
    expect([answer.code, answer.text]).toEqual([200, `${SAMPLE_CONTENT}\n`]);
    const headers = {
      'content-disposition': `attachment; filename=${attached()}_left.txt`,
      'content-length': String(SAMPLE_CONTENT.length + 1),
      'content-type': 'text/plain; charset=utf-8',
    };
    const head = await sample.server.call('HEAD', path);
    expect([head.code, head.text]).toEqual([200, '']);
    for (const { headers: given } of [answer, head]) {
      expect(Object.fromEntries(given)).toMatchObject(headers);
      expect(given.get('content-encoding')).toBeNull();
    }
  });

  test('47: an unknown file is 404', async () => {
    for (const path of [
      `/workflows/${sample.done}/files/${UNKNOWN}`,
      `/workflows/${UNKNOWN}/files/${attached()}`,
      `/workflows/${sample.waiting}/files/${attached()}`,
    ]) {
      expect(bodyOf(await get(path)), path).toMatchObject({ code: 404, details: null });
      expect((await sample.server.call('HEAD', path)).code, path).toBe(404);
    }
  });
});
