/** Output of `tutti run --wait` without a terminal: in pipes, in build servers, for programs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedServer } from '../support/shared-server.ts';
import { type CliResult, runCli } from './cli-process.ts';

const { bench, server } = await sharedServer({ tags: ['shell'], name: 'one' });
const cwd = bench.folder;
const access = { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token };

/** Output that build servers would obey, and a failure. */
const SCRIPT = [
  "printf '%s\\n' '::add-matcher::not one' '  ::set-output name=a::b' 'x ##vso[task.complete result=Failed]y' '##[error]no'",
  // A line that is erased at its end is shown as it was before.
  "printf 'section_start:1:evil\\r\\033[0K\\n'",
  "printf 'section_start:1:evil\\r\\033[0Knot one\\n'",
  'exit 3',
].join('; ');

beforeAll(async () => {
  const steps = [
    { name: 'Prepare', run: 'true' },
    { name: 'Speak', run: SCRIPT },
  ];
  const after = { 'runs-on': 'shell', needs: 'main', steps: [{ run: 'true' }] };
  const jobs = { main: { 'runs-on': 'shell', steps }, after };
  await writeFile(join(cwd, 'w.json'), JSON.stringify({ metadata: { name: 'shown' }, jobs }));
});

const run = (env: Readonly<Record<string, string>>, ...words: string[]): Promise<CliResult> =>
  runCli(['run', 'w.json', '--wait', '--no-hints', ...words], { cwd, env: { ...access, ...env } });

/** Without what differs from run to run. */
function plain({ stdout }: CliResult): readonly string[] {
  const token = /^::stop-commands::(\S+)$/m.exec(stdout)?.[1] ?? 'TOKEN';
  return stdout
    .replaceAll(token, 'TOKEN')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\d\d:\d\d:\d\d /, 'TIME ')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID')
        .replace(/:\d{10}:/, ':EPOCH:')
        .replace(/\b\d+(?:\.\d)? s\b/g, 'N s'),
    );
}

const BEGIN = [
  'Workflow ID started.',
  'TIME         Workflow "shown" in namespace default',
  'TIME  main   · asks for an environment: shell',
  'TIME  main   ● started',
];

/** As the server has it: workflow commands of its own are gone from it. */
const SPOKEN = [
  'TIME  main   │ ::add-matcher::not one',
  'TIME  main   │   ::set-output name=a::b',
  'TIME  main   │ x ##vso[task.complete result=Failed]y',
  'TIME  main   │ ##[error]no',
  'TIME  main   │ section_start:1:evil',
  'TIME  main   │ not one',
];

const END = [
  'TIME  main   ✗ Speak failed (exit code 3)',
  'TIME  main   ✗ failed in N s',
  'TIME  after  · Job "after" skipped.',
  'TIME  after  · skipped',
  'TIME         ✗ Workflow failed after N s: Job "main" failed.',
];

const SUMMARY = [
  '',
  'Jobs',
  '  main   failed     N s',
  '  after  skipped',
  '',
  'What failed',
  '  main ▸ Speak: exit code 3 after N s, at line 6 of its output',
  ...SPOKEN.map((line) => line.replace('TIME  main   │', '    │')),
  '',
  'Result: FAILURE, no test results.',
];

const broken = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace('##vso', '## vso').replace('##[', '## ['));

test('in a pipe each line has its time, and nothing moves or is coloured', async () => {
  const result = await run({});
  expect(plain(result)).toEqual([
    ...BEGIN,
    'TIME  main   ▸ Prepare',
    'TIME  main   ▸ Speak',
    ...SPOKEN,
    ...END,
    ...SUMMARY,
    '',
  ]);
  expect(result.stdout).not.toContain('\u001b');
  expect(result).toMatchObject({ code: 1, stderr: '' });
});

test('times are those of where it is read', async () => {
  const hours = async (zone: string) =>
    Number(/^(\d\d):\d\d:\d\d /m.exec((await run({ TZ: zone })).stdout)?.[1]);
  // The hour may change between the two.
  expect([5, 6]).toContain(((await hours('Etc/GMT-5')) - (await hours('UTC')) + 24) % 24);
});

test('FORCE_COLOR colours a pipe, and NO_COLOR comes first', async () => {
  expect((await run({ FORCE_COLOR: '1' })).stdout).toContain('\u001b[31m✗ failed in');
  expect((await run({ FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  expect((await run({ FORCE_COLOR: '1' }, '--no-color')).stdout).not.toContain('\u001b');
});

test('GitHub Actions folds steps, shows the failure, and obeys no step', async () => {
  const lines = plain(await run({ CI: 'true', GITHUB_ACTIONS: 'true' }));
  expect(lines).toEqual([
    ...BEGIN,
    'TIME  main   ▸ Prepare',
    '::group::main ▸ Speak',
    '::stop-commands::TOKEN',
    ...SPOKEN,
    '::TOKEN::',
    '::endgroup::',
    ...END,
    '::stop-commands::TOKEN',
    ...SUMMARY,
    '::TOKEN::',
    '::error title=main ▸ Speak::exit code 3 after N s: not one',
    '',
  ]);
});

test('GitLab CI folds steps in sections with their times', async () => {
  const lines = plain(await run({ CI: 'true', GITLAB_CI: 'true' }));
  expect(lines).toEqual([
    ...BEGIN,
    'TIME  main   ▸ Prepare',
    '\u001b[0Ksection_start:EPOCH:tutti_1[collapsed=true]\r\u001b[0Kmain ▸ Speak',
    ...SPOKEN,
    '\u001b[0Ksection_end:EPOCH:tutti_1\r\u001b[0K',
    ...END,
    ...SUMMARY,
    '',
  ]);
});

test('Azure Pipelines folds steps, shows the failure, and obeys no step', async () => {
  const lines = plain(await run({ TF_BUILD: 'True' }));
  expect(lines).toEqual([
    ...BEGIN,
    'TIME  main   ▸ Prepare',
    '##[group]main ▸ Speak',
    ...broken(SPOKEN),
    '##[endgroup]',
    ...END,
    ...broken(SUMMARY),
    '##vso[task.logissue type=error]main ▸ Speak: exit code 3 after N s: not one',
    '',
  ]);
});

test('--progress plain has no marks, and --progress none the end alone', async () => {
  const env = { GITHUB_ACTIONS: 'true' };
  const bare = await run(env, '--progress', 'plain');
  expect(bare.stdout).toContain('main   ▸ Speak\n');
  expect(bare.stdout).not.toMatch(/^::/m);
  expect(plain(await run(env, '--progress', 'none'))).toEqual([
    'Workflow ID started.',
    ...SUMMARY,
    '',
  ]);
});

test.each([
  [['--progress', 'dots'], {}, '--progress takes tree, line, plain, none, not "dots".'],
  [['-o', 'xml'], {}, '-o takes text, json, not "xml".'],
  [[], { TUTTI_PROGRESS: 'dots' }, 'TUTTI_PROGRESS is "dots", which is none of'],
])(
  'what there is not is refused before anything is started: %j %j',
  async (words, env, message) => {
    const { code, stdout, stderr } = await run(env, ...words);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  },
);

test('-o json is the events as the interface has them between what began and what came of it', async () => {
  const { code, stdout, stderr } = await run({}, '-o', 'json');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const documents = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const id = documents[0].workflow_id;
  expect(documents[0]).toEqual({ kind: 'RunStarted', workflow_id: id });
  const { text } = await server.call('GET', `/workflows/${id}/status`, { query: 'per_page=1000' });
  const events = JSON.parse(text).details.items;
  expect(documents.slice(1, -1)).toEqual(events.slice(0, documents.length - 2));
  expect(documents.at(-1)).toMatchObject({
    kind: 'RunEnded',
    workflow_id: id,
    name: 'shown',
    status: 'FAILED',
    jobs: { total: 2, succeeded: 0, failed: 1, canceled: 0, skipped: 1 },
    failures: [{ job: 'main', step: 'Speak', exit_code: 3, line: 6 }],
  });
});

test('-o json tells the id of what nobody waits for, and of what is only checked', async () => {
  const options = { cwd, env: access };
  const started = await runCli(['run', 'w.json', '-o', 'json'], options);
  expect(JSON.parse(started.stdout)).toMatchObject({ kind: 'RunStarted' });
  const checked = await runCli(['run', 'w.json', '-o', 'json', '--dry-run'], options);
  expect(JSON.parse(checked.stdout)).toMatchObject({ kind: 'RunValid' });
});
