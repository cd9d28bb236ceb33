// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** The command line against a real server and a real agent, each a process of its own. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliProcess, runCli, startCli } from './cli-process.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/quickstart');

let cwd: string;
let server: CliProcess;
let agent: CliProcess;
let url: string;

/** Runs a command beside the data directory of the server, which is how it finds the server and its token. */
const tutti = (...args: string[]) => runCli(args, { cwd });

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-cli-'));
  await writeFile(join(cwd, 'a-file'), '');
  server = startCli(['server', '--port', '0', '--log-level', 'warn'], { cwd });
  [, url = ''] = await server.said(/^Tutti is ready on (http:\S+)$/m);
  agent = startCli(['agent', '--tags', 'node,shell', '--name', 'one', '--workspace-dir', 'work'], {
    cwd,
  });
  await agent.said(/The agent is registered/);
});

afterAll(async () => {
  for (const child of [agent, server]) child?.kill('SIGKILL');
  await Promise.all([agent?.ended, server?.ended]);
  await rm(cwd, { recursive: true, force: true });
});

async function workflow(name: string, run: string, tag = 'shell'): Promise<string> {
  const step = { name: 'The step', run };
  const manifest = { metadata: { name }, jobs: { main: { 'runs-on': tag, steps: [step] } } };
  await writeFile(join(cwd, `${name}.json`), JSON.stringify(manifest));
  return `${name}.json`;
}

test('the quickstart workflow runs, and its test cases are shown', async () => {
  const args = ['-e', `SOURCE_DIR=${EXAMPLE}`, '--wait'];
  const { code, stdout, stderr } = await tutti('run', join(EXAMPLE, 'workflow.yaml'), ...args);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Workflow [0-9a-f-]{36} started\.\n/);
  expect(stdout).toContain('│ Testing version 1.2.0');
  expect(stdout).toContain('Result: SUCCESS, 18 of 18 test cases passed (100 %).');
  expect(code).toBe(0);
});

test('a run that fails ends the command with 1 and shows why', async () => {
  const file = await workflow('failing', 'echo about to fail; exit 3');
  const { code, stdout } = await tutti('run', file, '--wait');
  expect(stdout).toContain('main ▸ The step: exit code 3');
  expect(stdout).toContain('    │ about to fail');
  expect(stdout).toContain('Result: FAILURE, no test results.');
  expect(code).toBe(1);
});

test('without --wait, the second word is the id, and status knows it', async () => {
  const file = await workflow('brief', 'echo "hello $WHO"');
  const { code, stdout } = await tutti('run', file, '-e', 'WHO=you', '--namespace', 'default');
  expect(code).toBe(0);
  const id = stdout.split(' ')[1] ?? '';
  const shown = await tutti('status', id);
  expect(shown.stdout).toContain(`Workflow "brief" (${id}) in namespace default`);
  const listed = await tutti('status');
  expect(listed.stdout).toMatch(new RegExp(`^${id} .* brief$`, 'm'));
});

test('a log is followed to the end of the run', async () => {
  const file = await workflow('told', 'echo begun; until [ -e told.free ]; do sleep 0.02; done');
  const id = (await tutti('run', file)).stdout.split(' ')[1] ?? '';
  const follower = startCli(['status', id, '--log', '--follow'], { cwd });
  await follower.said(/\] begun\n/);
  await tutti('cancel', id);
  expect(await follower.ended).toBe(0);
  expect(follower.stdout()).toBe((await tutti('status', id, '--log')).stdout);
});

test('a workflow that is not valid is refused with everything that is wrong', async () => {
  const jobs = { main: { runson: 'shell', steps: [{ run: 1 }] } };
  await writeFile(join(cwd, 'wrong.json'), JSON.stringify({ metadata: { name: 'x' }, jobs }));
  const { code, stdout, stderr } = await tutti('run', 'wrong.json', '--wait');
  expect(stdout).toBe('');
  expect(stderr).toContain('runson');
  expect(stderr).toContain('jobs.main.steps');
  expect(stderr).toContain('What to do: correct what is named above, then try again.');
  expect(code).toBe(2);
});

test('warnings are shown with the start, or in the log that is followed, and --strict refuses them', async () => {
  const file = await workflow('warned', 'echo "[${{ inputs.none }}]"');
  const warning = 'jobs.main.steps[0].run: there is no input "none", so this is empty';
  for (const args of [[], ['--dry-run'], ['--wait', '--progress', 'none']]) {
    const { code, stderr } = await tutti('run', file, ...args);
    expect([code, stderr.startsWith(`tutti: warning: ${warning} (line 1, `)]).toEqual([0, true]);
  }
  const followed = await tutti('run', file, '--wait');
  expect(followed).toMatchObject({ code: 0, stderr: '' });
  expect(followed.stdout).toContain(warning);
  const strict = await tutti('run', file, '--strict');
  expect([strict.code, strict.stdout]).toEqual([2, '']);
  expect(strict.stderr).toContain(warning);
});

test('a dry run checks and starts nothing', async () => {
  const file = await workflow('dry', 'true');
  const { code, stdout } = await tutti('run', file, '--dry-run', '--wait');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Workflow [0-9a-f-]{36} is valid; nothing was started\.\n$/);
  expect((await tutti('status')).stdout).not.toMatch(/ dry$/m);
});

test('inputs, variables and resource files go with the workflow', async () => {
  await writeFile(join(cwd, 'data.txt'), 'content of the file');
  const manifest = `
metadata: {name: with-file}
inputs: {who: {description: Whom to greet, required: true}}
resources: {files: [data]}
jobs:
  main:
    runs-on: shell
    steps:
    - run: echo "hello \${{ inputs.who }} of $PLACE and $STAGE"
`;
  await writeFile(join(cwd, 'with-file.yaml'), manifest);
  const withoutFile = await tutti('run', 'with-file.yaml', '-i', 'who=you', '--wait');
  expect(withoutFile.stderr).toContain('Not all expected files were attached: data.');
  const withFile = ['run', 'with-file.yaml', '-f', 'data=data.txt'];
  const withoutInput = await tutti(...withFile);
  expect(withoutInput.stderr).toContain('who');
  expect([withoutFile.code, withoutInput.code]).toEqual([2, 2]);
  await writeFile(join(cwd, 'qa.env'), '# of this stage\nPLACE=Lyon\nSTAGE=qa\n');
  await writeFile(join(cwd, 'inputs.txt'), 'who=you\n');
  const lines = ['-e', 'STAGE=local', '-e', 'qa.env', '-i', 'inputs.txt'];
  const { code, stdout } = await tutti(...withFile, ...lines, '--wait');
  expect(stdout).toContain('│ hello you of Lyon and local');
  expect(code).toBe(0);
});

test('an interrupted command cancels the run, follows it to its end and tells so', async () => {
  const file = await workflow('long', 'echo begun; sleep 600');
  const child = startCli(['run', file, '--wait'], { cwd });
  await child.said(/│ begun/);
  child.kill('SIGINT');
  expect(await child.ended).toBe(1);
  expect(child.stdout()).toContain('Asking the server to cancel the workflow');
  expect(child.stdout()).toMatch(/✗ Workflow canceled after .*Interrupted/);
  expect(child.stdout()).toMatch(/^Result: canceled by you, no test results\.$/m);
});

test('a waiting job says what it waits for, and cancel ends it', async () => {
  const file = await workflow('nowhere', 'true', 'mainframe');
  const child = startCli(['run', file, '--wait'], { cwd });
  const [, id = ''] = await child.said(/^Workflow (\S+) started/m);
  await child.said(/! Job "main" waits: no environment with tag "mainframe"/);
  const canceled = await tutti('cancel', id, '--reason', 'no mainframe');
  expect(canceled).toEqual({
    code: 0,
    stdout: `The server was asked to cancel workflow ${id}.\n`,
    stderr: '',
  });
  expect(await child.ended).toBe(1);
  expect(child.stdout()).toContain('no mainframe');
  expect(child.stdout()).toMatch(/^Result: canceled by admin: no mainframe, no test results\.$/m);
});

test('the agents are listed', async () => {
  const { stdout, code } = await tutti('agents');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME +STATUS +TAGS/);
  expect(stdout).toMatch(/^one +\S+ +node,shell +default /m);
});

test('of versions it is told whose they are', async () => {
  const { stdout, code } = await tutti('version', '--server', url);
  expect(code).toBe(0);
  const [own, heading, component] = stdout.split('\n');
  expect(own).toMatch(/^tutti \S+ \(Node \S+\)$/);
  expect(heading).toBe(`The server ${url} has:`);
  expect(component).toMatch(/^ {2}\S+ \S+$/);
});

test('a token that was made for little reaches little', async () => {
  const args = ['--subject', 'ci', '--namespaces', 'team', '--resources', 'workflows'];
  const made = await tutti('token', 'create', ...args, '--verbs', 'list', '--expires-in', '1h');
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const file = join(cwd, 'little.token');
  await writeFile(file, made.stdout);
  expect((await tutti('status', '--token-file', file)).stderr).toContain('There are no workflows.');
  const refused = await tutti('run', await workflow('refused', 'true'), '--token-file', file);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('What to do: use a token that allows this');
});

test('a token of a data directory that has no key yet says that it made one', async () => {
  const made = () => tutti('token', 'create', '--subject', 'ci', '--data-dir', 'fresh');
  expect((await made()).stderr).toContain('fresh had no key, so one was made;');
  expect(await made()).toMatchObject({ code: 0, stderr: '' });
});

test('a token that is none is refused with what to do', async () => {
  const { code, stderr } = await tutti('agents', '--server', url, '--token', 'nonsense');
  expect(code).toBe(2);
  expect(stderr).toContain('What to do: pass a token that the server trusts');
});

test('a server that is not there is told apart', async () => {
  const { code, stderr } = await tutti('status', '--server', 'http://127.0.0.1:1');
  expect(code).toBe(2);
  expect(stderr).toContain('The server http://127.0.0.1:1 cannot be reached.');
});

test.each([
  [['run'], 'tutti: Missing required argument'],
  [['run', 'missing.yaml'], 'Cannot read the workflow from missing.yaml'],
  [
    ['run', 'x', '-e', 'nonsense'],
    '-e takes name=value, or a file with such lines, and "nonsense" cannot be read',
  ],
  [['run', 'x', '--wiat'], 'Did you mean --wait?'],
  [['nonsense'], "tutti: Unknown command 'nonsense'\nWhat to do: see \""],
  [['token', 'create', '--subject', 'x', '--verbs', 'fly'], '--verbs knows no "fly"'],
  [['server', '--prot', '1'], 'Did you mean --port?'],
  [['status', '--server', 'nowhere'], 'Not the address of a server: nowhere.'],
  [['status', '--log'], '--log prints the log of one workflow'],
  [['status', 'x', '--follow'], '--follow goes with --log.'],
  [['status', 'x', '--log', '-o', 'json'], "'--log' cannot be used with option '-o, --output"],
  [
    ['agents', '-o', 'xml'],
    'tutti: -o takes table, wide, json, yaml, name and custom-columns=TITLE:path,..., not "xml".\nWhat to do: ',
  ],
  [['server', '--data-dir', 'a-file'], 'a file of that name is in the way.\nWhat to do: '],
  [
    ['token', 'create', '--subject', 'x', '--data-dir', 'a-file'],
    'a file of that name is in the way',
  ],
  [['server', '--config', 'none.yaml'], 'Cannot read the configuration file none.yaml'],
  [['agents', '--token-file', 'none.token'], 'There is no file none.token.'],
])('wrong use is told: %j', async (args, message) => {
  const { code, stderr } = await tutti(...args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test('a port that is taken is told apart', async () => {
  const { port } = new URL(url);
  const second = await tutti('server', '--port', port, '--data-dir', 'other');
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(`tutti: Cannot listen on 127.0.0.1, port ${port}: it is taken.`);
  expect(second.stderr).toContain('What to do: ');
});

test('a second server on the same data directory says what to do', async () => {
  const second = await tutti('server', '--port', '0', '--log-level', 'silent');
  expect(second.code).toBe(2);
  expect(second.stdout).toBe('');
  expect(second.stderr).toMatch(/^tutti: /);
  expect(second.stderr).not.toContain('    at ');
});

test('agents are shown as their manifests, runs as the documents of the server', async () => {
  const agents = await tutti('agents', '--output', 'json');
  expect(agents.code).toBe(0);
  expect(JSON.parse(agents.stdout)).toMatchObject([
    { metadata: { name: 'one' }, spec: { tags: ['node', 'shell'] } },
  ]);
  const { stdout } = await tutti('run', await workflow('documented', 'true'), '--wait');
  const id = stdout.split(' ')[1] ?? '';
  const all = await tutti('status', '-o', 'json');
  expect(JSON.parse(all.stdout)[0].metadata).toMatchObject({ workflow_id: id, name: 'documented' });
  const { details } = JSON.parse((await tutti('status', id, '-o', 'json')).stdout);
  expect(details.status).toBe('DONE');
  expect(details.items[0].kind).toBe('Workflow');
  expect(details.items.at(-1).kind).toBe('WorkflowCompleted');
});

test('steps are called by what they do, never by an expression', async () => {
  const steps = [
    { run: 'echo "hello ${{ variables.WHO }}"' },
    { name: 'Greet ${{ variables.WHO }}', run: 'true' },
    { if: 'failure()', run: 'echo ${{ variables.WHO }} never' },
  ];
  const jobs = { main: { 'runs-on': 'shell', variables: { WHO: 'you' }, steps } };
  await writeFile(join(cwd, 'labels.json'), JSON.stringify({ metadata: { name: 'x' }, jobs }));
  const { stdout } = await tutti('run', 'labels.json', '--wait');
  expect(stdout).toContain('▸ echo "hello you"');
  expect(stdout).toContain('▸ Greet you');
  expect(stdout).toContain('· echo … never skipped');
  expect(stdout).not.toContain('${{');
});

test('a run whose output nobody reads any more ends with its own result', async () => {
  const free = join(cwd, 'unread.free');
  const step = `echo begun; until [ -e '${free}' ]; do sleep 0.02; done; echo a; echo b; exit 3`;
  const file = await workflow('unread', step);
  const child = startCli(['run', file, '--wait'], { cwd });
  await child.said(/│ begun/);
  child.stopReading('stdout');
  child.stopReading('stderr');
  await writeFile(free, '');
  expect(await child.ended).toBe(1);
});

test('an agent whose log nobody reads any more works on', async () => {
  const child = startCli(['agent', '--tags', 'unread', '--name', 'unread'], { cwd });
  await child.said(/The agent is registered/);
  child.stopReading('stderr');
  const { code } = await tutti('run', await workflow('for-unread', 'true', 'unread'), '--wait');
  expect(code).toBe(0);
  child.kill('SIGTERM');
  expect(await child.ended).toBe(0);
});

test('agent and server end in order when they are asked to', async () => {
  agent.kill('SIGTERM');
  expect(await agent.ended).toBe(0);
  expect((await tutti('agents')).stderr).toContain('There are no agents.');
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  // Where the tests run as root, the server warns of that.
  expect(server.stderr().replace(/^.*The server runs as root.*\n/m, '')).toBe('');
  expect(existsSync(join(cwd, '.tutti/server.json'))).toBe(false);
});
