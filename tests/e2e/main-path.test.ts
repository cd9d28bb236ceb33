/** From a manifest to its result: a real server, a real agent and a real shell. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import {
  allEvents,
  ended,
  logged,
  logTexts,
  oneJob,
  only,
  sh,
  start,
  startedId,
} from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const { bench, server } = await sharedServer({ tags: ['linux', 'shell'], name: 'shell' });

// HTTP 2.5: Jobs have tags and steps; a step may have a command.
test('a workflow in JSON runs, and its log shows what the step printed', async () => {
  const id = await start(server, oneJob('hello', [sh('echo hello $(( 20 + 3 ))')]));
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toEqual([
    'Requesting execution environment providing "linux" in namespace "default" for job "main"',
    'Running command: echo hello $(( 20 + 3 ))',
    'hello 23',
    'Job "main" succeeded.',
    'Releasing execution environment for job "main"',
    'Workflow completed successfully.',
  ]);
});

test('a workflow in YAML runs', async () => {
  const body = `
metadata: {name: yaml, namespace: default}
jobs:
  main:
    runs-on: [linux, shell]
    steps:
    - run: |-
        first=1
        echo $first, $(( first + 1 ))
`;
  const headers = { 'content-type': 'application/x-yaml' };
  const answer = await server.call('POST', '/workflows', { body, headers });
  const id = startedId(answer);
  expect(bodyOf(answer)).toMatchObject({
    code: 201,
    reason: 'Created',
    message: `Workflow yaml accepted (workflow_id=${id}).`,
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('1, 2');
});

test('a multipart request brings variables, inputs and files', async () => {
  const manifest = {
    metadata: { name: 'multipart' },
    variables: { GREETING: 'hello', PLACE: 'world' },
    inputs: { level: { description: 'How loud.', type: 'number' } },
    resources: { files: ['data.bin'] },
    jobs: {
      main: {
        'runs-on': 'linux',
        steps: [{ run: `echo $GREETING $PLACE at \${{ inputs.level }}` }],
      },
    },
  };
  const body = new FormData();
  body.set('workflow', new Blob([JSON.stringify(manifest)]), 'workflow.json');
  body.set('variables', 'PLACE=nowhere\nPLACE=moon');
  body.set('inputs', new Blob(['level=11']), 'inputs');
  body.set('data.bin', new Blob([new Uint8Array([0, 255, 10])]), 'data.bin');
  const id = startedId(await server.call('POST', '/workflows', { body }));
  expect(await ended(server, id)).toBe('DONE');
  expect((await logTexts(server, id)).join('\n')).toMatch(/^hello moon at 11/m);
});

test('a file that the workflow expects and the request lacks is told by name', async () => {
  const manifest = { ...oneJob('files', [sh('true')]), resources: { files: ['a.bin', 'b.bin'] } };
  const body = new FormData();
  body.set('workflow', JSON.stringify(manifest));
  body.set('a.bin', new Blob(['a']), 'a.bin');
  const answer = await server.call('POST', '/workflows', { body });
  expect(answer.code).toBe(422);
  expect(bodyOf(answer)).toMatchObject({ reason: 'Invalid', details: null });
  expect(bodyOf(answer).message).toMatch(/^Not all expected files were attached: .*b\.bin/);
});

test('a job waits for the jobs it needs, and reads their outputs', async () => {
  const shared = bench.path('order');
  const say = (name: string) => sh(`echo ${name} >> '${shared}'`);
  const id = await start(server, {
    metadata: { name: 'needs' },
    jobs: {
      report: {
        'runs-on': 'linux',
        needs: ['build', 'check'],
        steps: [say('report'), sh(`echo version \${{ needs.build.outputs.version }}`)],
      },
      build: {
        'runs-on': 'linux',
        outputs: { version: `\${{ steps.make.outputs.number }}` },
        steps: [say('build'), sh('echo ::set-output name=number::1.2.3', { id: 'make' })],
      },
      check: { 'runs-on': 'linux', steps: [say('check')] },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toContain('version 1.2.3');
  expect(texts.indexOf('version 1.2.3')).toBeGreaterThan(texts.indexOf('Job "check" succeeded.'));
});

// Language 1.5: Step wins over job, job over workflow, as long as that level lasts.
test('variables of the step win over those of the job and the workflow, and files carry them on', async () => {
  const id = await start(server, {
    metadata: { name: 'variables' },
    variables: {
      A: 'workflow',
      B: 'workflow',
      C: 'workflow',
      D: { value: '$A "x"', verbatim: true },
    },
    jobs: {
      main: {
        'runs-on': 'linux',
        variables: { B: 'job', C: 'job' },
        steps: [
          sh('echo "$A $B $C $D"', { variables: { C: 'step' } }),
          sh('echo export A=kept >> "$OPENTF_VARIABLES"'),
          sh('echo "$A $C"'),
        ],
      },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toContain('workflow job step $A "x"');
  expect(texts).toContain('kept job');
});

test('output is in the log while its step still runs', async () => {
  const gate = bench.path('gate');
  const wait = `echo before; until [ -e '${gate}' ]; do sleep 0.02; done; echo after`;
  const id = await start(server, oneJob('streaming', [sh(wait)]));
  expect(await logged(server, id, 'before\n')).not.toContain('] after\n');
  expect(existsSync(gate)).toBe(false);
  await writeFile(gate, '');
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts.filter((text) => text === 'before' || text === 'after')).toEqual([
    'before',
    'after',
  ]);
});

test('the log is told to a reader that stays, until the workflow ends', async () => {
  const gate = bench.path('gate');
  const wait = `echo early; until [ -e '${gate}' ]; do sleep 0.02; done; echo late`;
  const id = await start(server, oneJob('events', [sh(wait)]));
  await logged(server, id, 'early\n');
  const stream = server.call('GET', `/workflows/${id}/status`, {
    headers: { accept: 'text/event-stream' },
  });
  await writeFile(gate, '');
  const { text, headers } = await stream;
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(text).toContain('"early"');
  expect(text).toContain('"late"');
  expect(text).toContain('"WorkflowCompleted"');
});

test('a step that fails ends its job, skips what needs it, and the workflow is FAILED', async () => {
  const id = await start(server, {
    metadata: { name: 'failing' },
    jobs: {
      broken: { 'runs-on': 'linux', steps: [sh('echo oops >&2; exit 3'), sh('echo unreached')] },
      dependent: { 'runs-on': 'linux', needs: 'broken', steps: [sh('echo unreached')] },
      cleanup: {
        'runs-on': 'linux',
        needs: 'broken',
        if: 'always()',
        steps: [sh(`echo broken was \${{ needs.broken.result }}`)],
      },
    },
  });
  expect(await ended(server, id)).toBe('FAILED');
  const texts = await logTexts(server, id);
  expect(texts).toEqual(expect.arrayContaining(['oops', 'broken was failure']));
  expect(texts).not.toContain('unreached');
  const [end] = only(await allEvents(server, id), 'WorkflowCanceled');
  expect(end?.details).not.toHaveProperty('status');
});

test('what a step masks is shown nowhere', async () => {
  const steps = [sh('echo ::add-mask::hunter2'), sh('echo the password is hunter2')];
  const id = await start(server, oneJob('masks', steps));
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('the password is ***');
});

// Language 5: `attach`, with and without parameters.
// HTTP 4.8: GET gives the content, without a manifest, under its own type.
test('a file that a step attaches can be had, byte for byte', async () => {
  const steps = [
    sh(
      `printf 'a\\000b\\377' > 'my data.bin'; echo "::attach type=application/x-own::$PWD/my data.bin"`,
    ),
  ];
  const id = await start(server, oneJob('attachments', steps));
  expect(await ended(server, id)).toBe('DONE');
  const [result] = only(await allEvents(server, id), 'ExecutionResult').filter(
    ({ attachments }) => attachments !== undefined,
  );
  const path = result?.attachments?.[0] ?? '';
  const attachment = result?.metadata.attachments?.[path];
  expect(path).toMatch(/^\/tmp\/[^_]+_0_my data\.bin$/);
  expect(attachment).toMatchObject({ type: 'application/x-own' });
  const url = `${server.url}/workflows/${id}/files/${attachment?.uuid}`;
  const headers = { authorization: `Bearer ${server.token}` };
  const bytes = new Uint8Array(await (await fetch(url, { headers })).arrayBuffer());
  expect([...bytes]).toEqual([97, 0, 98, 255]);
});

test('many lines come whole and in order', async () => {
  const id = await start(server, oneJob('long', [sh('seq 1 20000')]));
  expect(await ended(server, id)).toBe('DONE');
  const numbers = (await logTexts(server, id)).filter((text) => /^\d+$/.test(text));
  expect(numbers).toHaveLength(20_000);
  expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => String(index + 1)));
});

// HTTP 4.6: A dry run validates, answers an id and starts nothing.
test('a dry run validates, answers an id, and starts nothing', async () => {
  const marker = join(bench.folder, 'dry-run');
  const manifest = oneJob('dry', [sh(`touch '${marker}'`)]);
  const answer = await server.call('POST', '/workflows', { body: manifest, query: 'dryRun=' });
  expect(answer.code).toBe(201);
  const id = startedId(answer);
  expect((await server.call('GET', `/workflows/${id}/status`)).code).toBe(404);
  const wrong = { ...manifest, jobs: {} };
  const refused = await server.call('POST', '/workflows', { body: wrong, query: 'dryRun' });
  expect(refused.code).toBe(422);
  expect(detailsOf(refused)).toHaveProperty('error');
});
