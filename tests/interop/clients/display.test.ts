/** Display of workflows by existing clients: effects of options, configuration and environment. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { allEvents, ended, oneJob, only, sh, start } from '../../support/runs.ts';
import { reportStep } from '../../support/sample-run.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { useClientServers } from './client-servers.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);
const ESCAPE = '\u001b[';

/** A called job, a function in it, and a step that attaches a file. */
const NESTED = {
  metadata: { name: 'nested' },
  jobs: {
    outer: {
      jobs: {
        inner: {
          'runs-on': 'linux',
          steps: [
            { uses: 'actions/create-file@v1', with: { data: 'x', format: 'txt', path: 'x.txt' } },
            sh('echo shown; echo "::attach::$PWD/x.txt"'),
          ],
        },
      },
    },
  },
};

const ATTACHING = sh('echo x > x.txt; echo "::attach::$PWD/x.txt"');

feature('shows colours where they are wanted', async (run) => {
  const { ctl, server } = await servers.open(run, { user: { colors: 'ttl=34:out=32' } });
  const id = await start(server, NESTED);
  await ended(server, id);
  const shown = async (env: Readonly<Record<string, string>>) =>
    (await ctl.start(['get', 'workflow', id], { env }).whenEnded).stdout;
  expect(await shown({})).not.toContain(ESCAPE);
  expect(await shown({ OPENTF_COLORS: '1' })).toContain(`${ESCAPE}34mWorkflow  nested${ESCAPE}0m`);
  expect(await shown({ FORCE_COLOR: 'yes' })).toContain(`${ESCAPE}32mshown`);
  expect(await shown({ FORCE_COLOR: '1', NO_COLOR: '1' })).not.toContain(ESCAPE);
  expect(await shown({ NO_COLOR: '1', OPENTF_COLORS: 'on' })).toContain(ESCAPE);
});

feature('shows workflows as the configuration of its user says', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const get = async (...words: readonly string[]) =>
    (await ctl.run('get', 'workflow', id, ...words)).stdout;
  const plain = await get();
  expect(plain).not.toContain('Running command');
  const set = await ctl.run(
    ...['config', 'set-credentials', 'me', '--step-depth=0', '--job-depth=0'],
    ...['--max-command-length=4', '--output-prefix={job_id}|', '--verbose', '--show-notifications'],
    ...['--colors=ttl=35:out=36'],
  );
  expect(set.code).toBe(0);
  const configured = await get();
  expect(configured).toMatch(/^[-0-9a-f]{36}\| *Running command: echo/m);
  expect(configured).not.toContain('echo shown');
  expect(configured.split('\n').length).toBeGreaterThan(plain.split('\n').length);
  // The command line wins over the configuration.
  expect(await get('--max-command-length=0')).toContain('Running command: echo shown');
  expect(await get('--job-depth=1')).not.toContain('Running command');
  for (const wrong of ['--step-depth=x', '--job-depth=x', '--colors=none']) {
    expect((await ctl.run('config', 'set-credentials', 'me', wrong)).code, wrong).toBe(2);
  }
  const written = await readFile(join(ctl.home, '.opentf/config'), 'utf8');
  expect(written).toContain(server.token);
});

feature('shows the attachments of a workflow, and nothing else', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, oneJob('attaching', [ATTACHING, sh('echo not an attachment')]));
  await ended(server, id);
  const words = ['--show-attachments-only', '--job-depth=0', '--step-depth=0'];
  const { code, stdout } = await ctl.run('get', 'workflow', id, ...words);
  const [attached] = only(await allEvents(server, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.values(metadata.attachments ?? {}),
  );
  expect(stdout).toContain(`Produced attachment ${attached?.uuid} (x.txt).`);
  expect(stdout).not.toContain('not an attachment');
  expect(code).toBe(0);
});

feature('gives a workflow as YAML, and in no other form', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const yaml = await ctl.run('get', 'workflow', id, '-o=yaml');
  expect(yaml.lines[0]).toBe('items:');
  expect(yaml.lines.at(-1)).toBe('status: DONE');
  expect(yaml.stdout.match(/^- apiVersion:/gm)).toHaveLength((await allEvents(server, id)).length);
  for (const form of ['wide', 'custom-columns=ID:.metadata.name', 'nonsense']) {
    expect((await ctl.run('get', 'workflow', id, '-o', form)).code, form).toBe(2);
  }
});

feature('shows what a workflow does while it waits, as its options say', async (run) => {
  const { ctl } = await servers.open(run);
  await ctl.write('nested.yaml', NESTED);
  const all = await ctl.run(
    ...['run', 'workflow', 'nested.yaml', '-w', '-s', '0', '-j', '0', '-c', '0'],
    ...['-a', '-v', '--show-attachments'],
  );
  expect(all.stdout).toContain('Running command: echo shown');
  expect(all.stdout).toMatch(/Produced attachment [-0-9a-f]{36} \(x\.txt\)\./);
  expect(all.code).toBe(0);
  const few = await ctl.run(
    ...['run', 'workflow', 'nested.yaml', '--watch'],
    ...['--field-selector', 'kind in (Workflow, WorkflowCompleted)'],
  );
  expect(few.stdout).toContain('Workflow  nested');
  expect(few.stdout).not.toContain('shown');
  const json = await ctl.run('run', 'workflow', 'nested.yaml', '--wait', '-o', 'json');
  expect(json.stdout).toContain('"kind": "WorkflowCompleted"');
});

const GATES = {
  qualitygates: [
    { name: 'mine', rules: [{ name: 'all', rule: { scope: 'true', threshold: '100%' } }] },
  ],
};

feature(
  'applies the quality gates of a file at the end of a workflow, and copies reports',
  async (run) => {
    const { ctl } = await servers.open(run);
    const upload = sh(
      `for name in one two; do echo $name > $name.txt; echo "::upload::$PWD/$name.txt"; done`,
    );
    const tests = reportStep([{ name: 'good', seconds: 1 }]);
    await ctl.write('tested.yaml', oneJob('tested', [tests, upload]));
    await ctl.write('gates.yaml', GATES);
    const { code, stdout } = await ctl.run(
      ...['run', 'workflow', 'tested.yaml', '--mode', 'mine', '--using', 'gates.yaml'],
      ...['--report', 'one.txt', '--report', 'two.txt:other/2.txt'],
    );
    expect(stdout).toContain('passed the quality gate using mode mine');
    expect(await readFile(join(ctl.home, 'one.txt'), 'utf8')).toBe('one\n');
    expect(await readFile(join(ctl.home, 'other/2.txt'), 'utf8')).toBe('two\n');
    expect(code).toBe(0);
  },
);
