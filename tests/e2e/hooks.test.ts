// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Hooks on real environments: in which order, where, and what becomes of the workspace. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { detailsOf } from '../support/api.ts';
import { registerExisting } from '../support/existing-agent.ts';
import {
  allEvents,
  ended,
  logged,
  logTexts,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
} from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const { bench, server, agent } = await sharedServer({ tags: ['linux'], name: 'shell' });

const setup = (around: Manifest): Manifest => ({
  name: 'of setup',
  events: [{ channel: 'setup' }],
  ...around,
});
const teardown = (around: Manifest): Manifest => ({
  name: 'of teardown',
  events: [{ channel: 'teardown' }],
  ...around,
});

/** Output of the scripts, without the log's own lines about the run. */
async function said(id: string): Promise<readonly string[]> {
  const texts = await logTexts(server, id);
  return texts
    .map((text) => text.trim())
    .filter((text) => /^say |^(Us|Keep)ing workspace/.test(text));
}

const here = (word: string): Manifest => sh(`echo "say ${word} $(basename "$PWD")"`);
const start1 = (steps: readonly Manifest[], hooks: readonly Manifest[]) =>
  start(server, { ...oneJob('hooked', steps), hooks });

async function jobIdOf(id: string): Promise<string> {
  const [command] = only(await allEvents(server, id), 'ExecutionCommand');
  return String(command?.metadata.job_id);
}

// Language 1.10: `setup`: before the workspace is there, and once it is there before the first step.
// Language 1.10: `teardown`: before the workspace goes, and after.
test('steps run around the job: without a workspace, in it, and when it is gone', async () => {
  const folder = agent.workspaceDir.replace(/^.*\//, '');
  const hooks = [
    setup({ before: [here('b1'), here('b2')], after: [here('c')] }),
    teardown({ before: [here('d')], after: [here('e'), here('f')] }),
  ];
  const id = await start1([here('job')], hooks);
  expect(await ended(server, id)).toBe('DONE');
  const jobId = await jobIdOf(id);
  expect(await said(id)).toEqual([
    `say b1 ${folder}`,
    `say b2 ${folder}`,
    `Using workspace '${jobId}' on execution environment`,
    `say c ${jobId}`,
    `say job ${jobId}`,
    `say d ${jobId}`,
    `say e ${folder}`,
    `say f ${folder}`,
  ]);
  expect(existsSync(join(agent.workspaceDir, jobId))).toBe(false);
  expect((await logTexts(server, id)).map((text) => text.trim())).toContainEqual(
    expect.stringMatching(/^Running command of hook "of setup": echo "say b1/),
  );
});

test('a job whose steps were all skipped leaves nothing behind', async () => {
  const hooks = [setup({ before: [here('b'), sh('exit 3')] }), teardown({ after: [here('e')] })];
  const id = await start1([here('job')], hooks);
  expect(await ended(server, id)).toBe('FAILED');
  expect((await said(id)).map((text) => text.split(' ')[1])).toEqual(['b', 'e']);
  expect(existsSync(join(agent.workspaceDir, await jobIdOf(id)))).toBe(false);
  expect(existsSync(agent.workspaceDir)).toBe(true);
});

// Language 1.10: `use-workspace`: the last one wins, it is neither emptied nor deleted.
test('a workspace that a hook gives is neither emptied nor deleted, whatever its name is', async () => {
  const name = 'mein Büro (1)';
  const directory = join(agent.workspaceDir, name);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'before'), 'still here');
  const hooks = [
    setup({ before: [{ 'use-workspace': 'wrong' }, { 'use-workspace': name }, here('b')] }),
    teardown({ before: [{ 'keep-workspace': false }], after: [sh('echo "say $(ls)"')] }),
  ];
  const id = await start1([sh('echo "say $(cat before)"; touch after')], hooks);
  expect(await ended(server, id)).toBe('DONE');
  expect((await said(id)).slice(1)).toEqual([
    `Using workspace '${name}' on execution environment`,
    'say still here',
    'say after',
    `Keeping workspace '${directory}' on execution environment`,
  ]);
  expect(readdirSync(directory).sort()).toEqual(['after', 'before']);
  expect(existsSync(join(agent.workspaceDir, 'wrong'))).toBe(false);
});

test.each([
  ['exit 1', true],
  ['true', false],
  // Language 1.10: A hook may keep the workspace.
])('a hook keeps the workspace of a failed job only: %s', async (script, isKept) => {
  const hooks = [teardown({ before: [{ if: 'failure()', 'keep-workspace': true }] })];
  const id = await start1([sh('touch evidence'), sh(script)], hooks);
  expect(await ended(server, id)).toBe(isKept ? 'FAILED' : 'DONE');
  const workspace = join(agent.workspaceDir, await jobIdOf(id));
  expect(existsSync(join(workspace, 'evidence'))).toBe(isKept);
  expect(await said(id)).toEqual(
    isKept ? [`Keeping workspace '${workspace}' on execution environment`] : [],
  );
});

test('hooks of functions share the frame of the function', async () => {
  const data = { format: 'txt', path: 'made.txt', data: 'content' };
  const hooks = [
    {
      name: 'around files',
      events: [{ categoryPrefix: 'actions', category: 'create-file' }],
      before: [sh('echo "say before $(ls | wc -l)"')],
      after: [sh('echo "say after $(cat made.txt)"'), sh('exit 4', { if: "runner.os == 'x'" })],
    },
  ];
  const id = await start1([{ uses: 'actions/create-file@v1', with: data }], hooks);
  expect(await ended(server, id)).toBe('DONE');
  expect((await said(id)).map((text) => text.replace(/ +/g, ' '))).toEqual([
    'say before 0',
    'say after content',
  ]);
  const commands = only(await allEvents(server, id), 'ExecutionCommand');
  const ofHooks = commands.filter(({ metadata }) => metadata['tutti.hook'] !== undefined);
  expect(ofHooks.map(({ metadata }) => metadata.step_origin.length)).toEqual([1, 1]);
});

test('an existing agent gets scripts that do the same, and its release keeps what is to be kept', async () => {
  const tag = 'existing';
  const existing = await registerExisting(server, ['linux', tag], {
    metadata: { namespaces: 'default', version: '2.0' },
  });
  const hooks = [
    setup({ before: [sh('echo first'), { 'use-workspace': '/srv/shop' }] }),
    teardown({ before: [sh('echo last')] }),
  ];
  const manifest = { ...oneJob('existing', [sh('echo middle')], { 'runs-on': tag }), hooks };
  const id = await start(server, manifest);
  const contents: string[] = [];
  for (let step = 0; step < 4; step += 1) {
    const order = step === 0 ? await existing.work() : detailsOf(await existing.poll());
    contents.push(String(order.content));
    await existing.post({ stdout: [], stderr: [], exit_status: 0, variables: null });
  }
  expect(await ended(server, id)).toBe('DONE');
  const [first = '', middle = '', last = '', release = ''] = contents;
  expect(first).not.toContain('mkdir');
  expect(first).toContain('echo first');
  expect(middle).toContain('mkdir -p /srv/shop');
  expect(middle).toContain('Using workspace');
  expect(last).not.toContain('mkdir');
  expect(release).toContain('Keeping workspace');
  expect(release).not.toContain('rm -rf');
  const commands = only(await allEvents(server, id), 'ExecutionCommand');
  const released = commands.find(
    ({ metadata }) => metadata.step_sequence_id === STEP_SEQUENCE.release,
  );
  expect(released?.metadata.annotations).toEqual({
    'opentestfactory.org/hooks': { channel: 'teardown', 'keep-workspace': true },
  });
});

test('teardown runs when the run is cancelled, and the workspace goes', async () => {
  const hooks = [teardown({ before: [here('d')], after: [here('e')] })];
  const id = await start1([sh('echo "say begun"; sleep 600')], hooks);
  // The line of the command itself has the words, too.
  await logged(server, id, '] say begun\n');
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
  const jobId = await jobIdOf(id);
  expect((await said(id)).slice(0, 2)).toEqual(['say begun', `say d ${jobId}`]);
  expect(existsSync(join(agent.workspaceDir, jobId))).toBe(false);
});

// Language 1.10: They are read anew when they change.
test('hooks of the operator stand within those of the workflow, and follow their files', async () => {
  const channel = bench.path('channel-hooks.yaml');
  const functions = bench.path('function-hooks.yaml');
  const hooksFile = (hooks: readonly Manifest[]) => JSON.stringify({ hooks });
  const around = (name: string, events: readonly Manifest[]) => ({
    name,
    events,
    before: [sh(`echo "say ${name} before"`)],
    after: [sh(`echo "say ${name} after"`)],
  });
  await writeFile(channel, hooksFile([around('channel', [{ channel: 'setup' }])]));
  await writeFile(functions, hooksFile([around('function', [{ category: 'create-file' }])]));
  const config = { hooks: { channel, providers: [{ prefix: 'actions', path: functions }] } };
  const operated = await bench.server({ config });
  await bench.agent(operated, { tags: ['linux'], name: 'operated' });
  const data = { format: 'txt', path: 'made.txt', data: 'content' };
  const manifest = {
    ...oneJob('operated', [{ uses: 'actions/create-file@v1', with: data }]),
    hooks: [around('own', [{ channel: 'setup' }]), around('mine', [{ categoryPrefix: 'actions' }])],
  };
  const words = async () => {
    const id = await start(operated, manifest);
    expect(await ended(operated, id)).toBe('DONE');
    const texts = await logTexts(operated, id);
    return texts.map((text) => text.trim()).filter((text) => /^(say|ERROR,)/.test(text));
  };
  expect(await words()).toEqual([
    'say own before',
    'say channel before',
    'say channel after',
    'say own after',
    'say mine before',
    'say function before',
    'say function after',
    'say mine after',
  ]);
  await writeFile(channel, 'hooks: [{name: broken}]');
  await writeFile(functions, hooksFile([around('other', [{ category: 'checkout' }])]));
  expect(await words()).toEqual([
    'say own before',
    expect.stringMatching(/^ERROR,The hooks that the operator .* are not valid/),
    'say own after',
    'say mine before',
    'say mine after',
  ]);
});

test('a job with hooks goes on where it was when the server is killed', async () => {
  const other = await bench.server();
  const survivor = await bench.agent(other, { tags: ['linux'], name: 'survivor' });
  const wait = 'while [ ! -e "$OPENTF_GATE" ]; do sleep 0.1; done';
  const gate = join(survivor.workspaceDir, 'gate');
  const hooks = [
    setup({
      before: [{ 'use-workspace': 'kept' }, sh(`echo "say waiting"; ${wait}`)],
      after: [here('c')],
    }),
    teardown({ after: [here('e')] }),
  ];
  const manifest = { ...oneJob('restarted', [here('job')]), hooks };
  const id = await start(other, { ...manifest, variables: { OPENTF_GATE: gate } });
  await logged(other, id, 'say waiting');
  await other.child.kill('SIGKILL');
  const { port } = new URL(other.url);
  const again = await bench.server({ dataDir: other.dataDir, port: Number(port) });
  await writeFile(gate, '');
  expect(await ended(again, id)).toBe('DONE');
  const texts = (await logTexts(again, id)).map((text) => text.trim());
  const words = texts.filter((text) => /^say /.test(text));
  expect(words).toEqual(['say waiting', 'say c kept', 'say job kept', 'say e kept']);
  expect(existsSync(join(survivor.workspaceDir, 'kept'))).toBe(true);
});
