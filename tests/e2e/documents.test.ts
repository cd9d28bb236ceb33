/** Follows the examples of the documents as a reader would. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseYaml } from '../../server/src/runtime/yaml-document.ts';
import { blocksOf, tuttiCommandsOf } from '../structure/document-blocks.ts';
import { pathsBelow, ROOT, readRepositoryFile } from '../structure/source-files.ts';
import { terminalPicture } from '../support/terminal-picture.ts';
import { type CliProcess, type CliResult, runCli, startCli } from './cli-process.ts';

const README = readRepositoryFile('README.md');
const COMMANDS = readRepositoryFile('docs/reference/command-line.md');
const workflows = ['README.md', ...pathsBelow('docs', /\.md$/)].flatMap((path) =>
  blocksOf(readRepositoryFile(path), 'yaml')
    // Parts of workflows are made whole and checked elsewhere.
    .filter((block) => /^metadata:/m.test(block) && /^jobs:/m.test(block))
    .map((block) => [path, block] as const),
);

/** The files that must come with a workflow. */
function filesOf(block: string): readonly string[] {
  const { resources } = Object(parseYaml(block).value);
  return resources?.files ?? [];
}

/** Replaces every file that a workflow asks for. Files that jobs call must be workflows. */
const ANY_FILE = `metadata: {name: any}
inputs: {browser: {description: The browser}}
outputs: {report: x}
jobs: {a: {steps: [{run: x}]}}
`;

/** Configuration of an existing installation. */
const EXISTING = `kind: ServiceConfig
current-context: default
contexts: [{name: default, context: {retention_period_minutes: 1440}}]
`;

/** Configuration of the command line. */
const CONTEXTS = `contexts:
  - {name: staging, context: {orchestrator: staging}}
orchestrators:
  - {name: staging, orchestrator: {server: 'http://127.0.0.1:9'}}
`;

/** Standard error for empty lists. The run has no attachments and no test cases. Once it has ended, it may have workers or none. */
const EMPTY: Readonly<Record<string, string>> = {
  attachments: 'There are no attachments.\n',
  testcases: 'There are no test cases.\n',
  causes: 'No test case failed.\n',
  tests: 'There are no tests yet. They come a moment after the end of a run with test results.\n',
  workers: 'No worker is active.\n',
  ui: 'No browser can be started here. Open the address yourself, within 60 seconds.\n',
};

let cwd: string;
let server: CliProcess;
let agent: CliProcess;
const tutti = (...args: readonly string[]) =>
  runCli(args, { cwd, env: { XDG_CONFIG_HOME: join(cwd, '.config') } });

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tutti-documents-'));
  server = startCli(['server', '--port', '0'], { cwd });
  await server.said(/^Tutti is ready on http:\S+$/m);
  agent = startCli(['agent', '--tags', 'linux,node'], { cwd });
  await agent.said(/The agent is registered/);
});

afterAll(async () => {
  for (const child of [agent, server]) child?.kill('SIGKILL');
  await Promise.all([agent?.ended, server?.ended]);
  await rm(cwd, { recursive: true, force: true });
});

test.each(workflows.map(([path, block], index) => ({ path, block, index })))(
  'a workflow in $path is valid ($index)',
  async ({ block, index }) => {
    await writeFile(join(cwd, `shown-${index}.yaml`), block);
    await writeFile(join(cwd, 'any-file.yaml'), ANY_FILE);
    const files = filesOf(block).flatMap((name) => ['-f', `${name}=any-file.yaml`]);
    const { stderr, code } = await tutti('run', `shown-${index}.yaml`, ...files, '--dry-run');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  },
);

test('the first runs of README.md are green, then red', async () => {
  const folder = await temporaryFolder();
  const [shop = ''] = blocksOf(README, 'yaml');
  await writeFile(join(folder, 'shop.yaml'), shop);
  const [green = [], red = []] = tuttiCommandsOf(README);
  const env = { FORCE_COLOR: '1' };
  const passed = await runCli(green, { cwd: folder, env });
  expect(passed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/three cost 12[\s\S]*1 of 1 test case passed/),
  });
  const failed = await runCli([...red, '--no-hints'], { cwd: folder, env });
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('15 == 12') });
  if (process.env.TUTTI_PICTURES === '1') {
    const command = `tutti ${red.join(' ')}`;
    await writeFile(
      join(ROOT, 'docs/pictures/terminal.svg'),
      terminalPicture(command, failed.stdout),
    );
  }
});

test('the commands of docs/guides/flaky-tests.md show what the runs of its workflow were like', {
  // Each run has to start.
  timeout: 120_000,
}, async () => {
  const page = readRepositoryFile('docs/guides/flaky-tests.md');
  const folder = await temporaryFolder();
  const [shop = ''] = blocksOf(page, 'yaml');
  await writeFile(join(folder, 'shop.yaml'), shop);
  const [run = [], list = [], show = [], history = [], ...others] = tuttiCommandsOf(page);
  const [put = [], quarantined = [], release = [], wide = [], ...chosen] = others;
  const outcomes: string[] = [];
  for (let runs = 0; runs < 5; runs++) {
    const { stdout } = await runCli(run, { cwd: folder });
    outcomes.push(/^Result: FAILURE/m.test(stdout) ? 'F' : '.');
  }
  const failures = outcomes.filter((outcome) => outcome === 'F').length;
  const listed = await runCli(list, { cwd: folder });
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(new RegExp(`^[a-z]+ .* ${failures} of 5 .*shop#pays$`, 'm'));
  const shown = await runCli(show, { cwd: folder });
  expect(shown.stdout).toContain(`Outcomes:     ${outcomes.join('')}\n`);
  expect(shown.stdout).toContain('on version 4f1c2d9\n');
  const executions = await runCli([...history, '-o', 'name'], { cwd: folder });
  expect(executions.code).toBe(0);
  expect(executions.stdout.split('\n').filter((id) => id !== '')).toHaveLength(failures);
  // By chance, all five may have failed.
  expect((await runCli([...put, '--force'], { cwd: folder })).stderr).toBe('');
  const held = await runCli(quarantined, { cwd: folder });
  expect(held.stdout).toMatch(/ shop#pays +waits-for-the-driver$/m);
  const released = await runCli(release, { cwd: folder });
  expect(released.stdout).toBe('shop#pays is in no quarantine any more.\n');
  const cases = await runCli(wide, { cwd: folder });
  expect(cases.stdout).toMatch(/^shop#pays .* unit +new$/m);
  for (const words of chosen) expect((await runCli(words, { cwd: folder })).code).toBe(0);
});

test('the commands of docs/reference/command-line.md do what it says, one after the other', {
  // Some dozens of commands, each of which has to start.
  timeout: 180_000,
}, async () => {
  const [demo = ''] = blocksOf(readRepositoryFile('docs/start/first-agent.md'), 'yaml');
  await writeFile(join(cwd, 'demo.yaml'), demo);
  const [insights = ''] = blocksOf(readRepositoryFile('docs/guides/reports.md'), 'yaml');
  await writeFile(join(cwd, 'insights.yaml'), insights);
  await mkdir(join(cwd, 'conf'));
  await writeFile(join(cwd, 'conf/observer.yaml'), EXISTING);
  await mkdir(join(cwd, 'shop'));
  await mkdir(join(cwd, '.config/tutti'), { recursive: true });
  await writeFile(join(cwd, '.config/tutti/config.yaml'), CONTEXTS);
  // A server and an agent run already, and stores move in `store-copy.test.ts`.
  const elsewhere = ['server', 'agent', 'store'];
  const shown = tuttiCommandsOf(COMMANDS).filter(([name = '']) => !elsewhere.includes(name));
  const [alone = [], run = [], ...others] = shown;
  const ran = await runAlone(alone, demo);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/│ Built with Node v\d+/) });
  const { code, stdout } = await tutti(...run);
  expect(stdout).toMatch(/│ Built with Node v\d+/);
  expect(code).toBe(0);
  const [, id = ''] = /^Workflow (\S+) started/.exec(stdout) ?? [];
  const { stdout: agents } = await tutti('agents', '-o', 'name');
  for (const words of others) {
    const idOf = words[0] === 'agents' ? agents.trim() : id;
    const named = words.map((word) => (word === 'ID' ? idOf : word));
    // Nobody has subscribed to anything.
    const code = words[0] === 'publish' ? 1 : 0;
    const ended = await tutti(...named);
    expect(ended.code, named.join(' ')).toBe(code);
    expect(['', EMPTY[words[0] ?? '']], named.join(' ')).toContain(ended.stderr);
  }
});

/** In a directory without a server. */
async function runAlone(words: readonly string[], workflow: string): Promise<CliResult> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'demo.yaml'), workflow);
  return await runCli(words, { cwd: folder });
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-alone-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
