/** The screen of `tutti run --wait` on a real pseudo-terminal, against a real server. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { sharedServer } from '../support/shared-server.ts';
import { runCli } from './cli-process.ts';
import { startOnTerminal, type TerminalProcess } from './terminal-process.ts';

const { bench, server } = await sharedServer({ tags: ['shell'], name: 'one' });
await bench.agent(server, { tags: ['shell'], name: 'two' });
const cwd = bench.folder;
const access = { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token };

const gates = new Set<string>();
/** A test that failed must not hold the agents. */
afterEach(() => Promise.all([...gates].map((path) => writeFile(path, ''))));

function gate(name: string): string {
  const path = join(cwd, `${name}.gate`);
  gates.add(path);
  return path;
}

const open = (name: string): Promise<void> => writeFile(gate(name), '');
/** A command that goes on once its gate is open. */
const until = (name: string): string => `until [ -e '${gate(name)}' ]; do sleep 0.02; done`;

async function workflow(name: string, jobs: object): Promise<string> {
  await writeFile(join(cwd, `${name}.json`), JSON.stringify({ metadata: { name }, jobs }));
  return `${name}.json`;
}

const job = (name: string, run: string, more: object = {}) => ({
  'runs-on': 'shell',
  steps: [{ name, run }],
  ...more,
});

function run(
  file: string,
  options: Partial<Parameters<typeof startOnTerminal>[1]> = {},
  more: readonly string[] = [],
) {
  const { env, ...size } = options;
  return startOnTerminal(['run', file, '--wait', '--no-hints', ...more], {
    cwd,
    ...size,
    env: { ...access, ...env },
  });
}

/** Without what differs from run to run. */
const plain = (lines: readonly string[]): readonly string[] =>
  lines.map((line) =>
    line
      .replace(/^\d\d:\d\d:\d\d /, 'TIME ')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID')
      .replace(/\b\d+(?:\.\d)? s\b/g, 'N s'),
  );

/** Frames come with each second. One that comes while the size changes leaves cut lines on any terminal. */
async function nextFrame(child: ReturnType<typeof run>): Promise<void> {
  const before = child.screen().join('\n');
  await eventually('another frame', () => child.screen().join('\n') !== before);
}

/** A frame may come in parts. */
const WHOLE_FRAME = { timeout: 20_000 };

/** The rows of the area: from the line on the whole run on. */
function areaOf(screen: readonly string[]): readonly string[] {
  const begin = screen.findLastIndex((row) => /^\d+ of \d+ jobs? done/.test(row));
  return begin < 0 ? [] : plain(screen.slice(begin));
}

const LOG = [
  'Workflow ID started.',
  'TIME         Workflow "shown" in namespace default',
  'TIME build   · asks for an environment: shell',
  'TIME unit    · asks for an environment: shell',
  'TIME build   ● started',
  'TIME build   ▸ Compile',
  'TIME build   │ compiled one',
  'TIME unit    ● started',
  'TIME unit    ▸ Test',
  'TIME unit    │ 20 %',
  'TIME build   │ compiled two',
  'TIME build   ✓ succeeded in N s',
  'TIME unit    ✗ Test failed (exit code 3)',
  'TIME unit    ✗ failed in N s',
  'TIME deploy  · Job "deploy" skipped.',
  'TIME deploy  · skipped',
  'TIME         ✗ Workflow failed after N s: Job "unit" failed.',
].map((line) => line.replace('TIME ', 'TIME  '));

const SUMMARY = [
  '',
  'Jobs',
  '  build   succeeded  N s',
  '  unit    failed     N s',
  '  deploy  skipped',
  '',
  'What failed',
  '  unit ▸ Test: exit code 3 after N s, at line 1 of its output',
  '    │ 20 %',
  '',
  'Result: FAILURE, no test results.',
];

/** Lines of jobs at the same time come in any order. */
const sorted = (lines: readonly string[]): readonly string[] => lines.toSorted();

test('a run is a log that scrolls over a tree of its jobs, also on a window that changes its size, and leaves nothing else', async () => {
  const file = await workflow('shown', {
    build: job('Compile', `echo compiled one; ${until('build')}; echo compiled two`),
    unit: job('Test', `printf '日本\\t10 %%\\r20 %%\\033[2J\\n'; ${until('unit')}; exit 3`),
    deploy: job('Deploy', 'true', { needs: ['build', 'unit'] }),
  });
  const child = run(file);
  await child.shows(/│ 20 %[\s\S]*● build.*Compile[\s\S]*● unit.*Test/);
  await expect
    .poll(() => areaOf(child.screen()), WHOLE_FRAME)
    .toEqual([
      '0 of 3 jobs done · N s',
      '● build   running N s  ▸ Compile N s',
      '● unit    running N s  ▸ Test N s',
      '○ deploy  waits for build, unit',
    ]);

  await nextFrame(child);
  await child.resize(30, 10);
  await child.shows(/^● unit {4}running \d+ s {2}▸ Tes…$/m);
  await expect
    .poll(() => areaOf(child.screen()).slice(1), WHOLE_FRAME)
    .toEqual([
      '● build   running N s  ▸ Com…',
      '● unit    running N s  ▸ Tes…',
      '○ deploy  waits for build, u…',
    ]);
  await nextFrame(child);
  await child.resize(100, 30);
  await child.shows(/waits for build, unit$/m);

  await open('build');
  await child.shows(/1 of 3 jobs done/);
  await expect
    .poll(() => areaOf(child.screen()), WHOLE_FRAME)
    .toEqual([
      '1 of 3 jobs done · N s',
      '● unit    running N s  ▸ Test N s',
      '○ deploy  waits for unit',
    ]);
  await open('unit');
  expect(await child.ended).toBe(1);
  const lines = plain(child.lines());
  expect(sorted(lines)).toEqual(sorted([...LOG, ...SUMMARY]));
  expect(lines.slice(-SUMMARY.length)).toEqual(SUMMARY);
});

test('the area is there in all that is seen from its first frame to the end of the run', async () => {
  const lines = `i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; ${until('flicker')}`;
  const file = await workflow('steady', { a: job('Count', lines), b: job('Count', lines) });
  const child = run(file, { columns: 40, rows: 12 });
  await child.shows(/│ line 299[\s\S]*● a[\s\S]*● b/);
  await open('flicker');
  expect(await child.ended).toBe(0);
  const hasArea = (screen: readonly string[]) => areaOf(screen).length > 0;
  const seen = child.seen();
  const first = seen.findIndex(hasArea);
  const end = seen.findIndex((screen) => screen.join('\n').includes('Workflow completed'));
  expect(first).toBeGreaterThanOrEqual(0);
  expect(end).toBeGreaterThan(first);
  expect(seen.slice(first, end).filter((screen) => !hasArea(screen))).toEqual([]);
  // All of the log is in what scrolled away, once.
  const printed = child.lines().filter((line) => line.includes('│ line '));
  expect(new Set(printed.map((line) => line.slice(10))).size).toBe(600);
  expect(printed).toHaveLength(600);
});

test('a run tells how long the one before it took', async () => {
  const file = await workflow('again', { main: job('Wait', until('again')) });
  await open('again');
  expect(await run(file).ended).toBe(0);
  const slower = await workflow('again', { main: job('Wait', until('later')) });
  const child = run(slower);
  await child.shows(/of about 1 s\n● main {2}running \d+ s of about 1 s/);
  await open('later');
  expect(await child.ended).toBe(0);
});

test('Ctrl-C cancels the run, which goes on to its end; the cursor was never hidden', async () => {
  const file = await workflow('stopped', { main: job('Sleep', 'echo begun; sleep 600') });
  const child = run(file);
  await child.shows(/│ begun[\s\S]*● main/);
  child.type('\u0003');
  expect(await child.ended).toBe(1);
  const lines = plain(child.lines());
  expect(lines).toContain('Asking the server to cancel the workflow; once more leaves at once.');
  expect(lines.at(-1)).toBe('Result: canceled by you, no test results.');
  expect(lines.filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
  expect(child.raw()).not.toContain('\u001b[?25l');
});

test('a second Ctrl-C leaves at once, with a clean screen', async () => {
  const file = await workflow('left', {
    main: job('Stubborn', `trap '' TERM INT; echo begun; ${until('left')}`),
  });
  const child = run(file);
  await child.shows(/│ begun[\s\S]*● main/);
  child.type('\u0003');
  await child.shows(/Asking the server to cancel/);
  // A second signal within a tenth of a second counts as the same.
  const asked = Date.now();
  await eventually('a tenth of a second later', () => Date.now() - asked > 150);
  child.type('\u0003');
  const code = await child.ended;
  await open('left');
  // The run may have been over by then.
  expect([130, 1]).toContain(code);
  expect(child.lines().filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
});

test.each([
  ['tree', /^● main/],
  ['line', /^0 of 1 job done/],
])('Ctrl-Z leaves a clean screen to the shell, and below what that wrote --progress %s goes on', async (progress, area) => {
  const file = await workflow(`paused-${progress}`, {
    main: job('Hold', `echo begun; ${until(`paused-${progress}`)}`),
  });
  const shell = (command: string) => `${command}; echo the shell is back; read line; fg`;
  const child = run(file, { shell, env: { TUTTI_PROGRESS: progress } });
  const rows = () => child.screen().filter((row) => area.test(row));
  await child.shows(new RegExp(`│ begun[\\s\\S]*${area.source}`, 'm'));
  child.type('\u001a');
  await child.shows(/the shell is back/);
  expect(rows()).toEqual([]);
  child.type('\r');
  await child.shows(new RegExp(`the shell is back[\\s\\S]*${area.source}`, 'm'));
  expect(rows()).toHaveLength(1);
  await open(`paused-${progress}`);
  expect(await child.ended).toBe(0);
  expect(child.lines().filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
}); // biome-ignore format: one line for the name

test('Ctrl-Z at a list that is watched leaves a clean screen, too', async () => {
  const { stdout } = await runCli(['run', await workflow('listed', { main: job('End', 'true') })], {
    cwd,
    env: access,
  });
  const id = stdout.split(' ')[1] ?? '';
  const child = startOnTerminal(['workflows', '--watch', '--name', 'listed'], {
    cwd,
    env: access,
    shell: (command) => `${command}; echo the shell is back; read line; fg`,
  });
  // A terminal has the beginnings of ids.
  const part = id.slice(0, 13);
  const rows = () => child.screen().filter((row) => row.startsWith(part));
  await child.shows(new RegExp(part));
  child.type('\u001a');
  await child.shows(/the shell is back/);
  expect(rows()).toEqual([]);
  child.type('\r');
  await child.shows(new RegExp(`the shell is back[\\s\\S]*${part}`));
  expect(rows()).toHaveLength(1);
  child.type('\u0003');
  expect(await child.ended).toBe(0);
});

test('that a run takes too long is said above the area, of which nothing stays', async () => {
  const file = await workflow('late', { main: job('Sleep', 'echo begun; sleep 600') });
  const child = run(file, {}, ['--timeout', '3s', '--cancel-on-timeout']);
  await child.shows(/● main/);
  expect(await child.ended).toBe(101);
  const lines = plain(child.lines());
  expect(lines.filter((line) => /and is canceled/.test(line))).toEqual([
    'tutti: Workflow ID took longer than N s, and is canceled.',
  ]);
  expect(lines.filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
  expect(child.seen().map((screen) => screen.filter((row) => /^● main/.test(row)).length)).not.toContain(2);
}); // biome-ignore format: one line for the last

test('--debug tells requests above the area, of which nothing stays', async () => {
  const file = await workflow('told', { main: job('Sleep', 'echo begun; sleep 600') });
  const child = run(file, { columns: 160 }, ['--debug']);
  await child.shows(/│ begun[\s\S]*● main/);
  child.type('\u0003');
  expect(await child.ended).toBe(1);
  const lines = plain(child.lines());
  expect(lines.filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
  const shownBy = lines.filter((line) => line.includes('debug: '));
  expect(shownBy.filter((line) => line.startsWith('debug: DELETE '))).toHaveLength(1);
  expect(shownBy.filter((line) => !/^debug: [A-Z]+ http\S+ 20\d, \d+ ms$/.test(line))).toEqual([]);
  expect(child.seen().map((screen) => screen.filter((row) => /^● main/.test(row)).length)).not.toContain(2);
}); // biome-ignore format: one line for the last

async function quick(options: Parameters<typeof run>[1]): Promise<TerminalProcess> {
  const name = `quick-${crypto.randomUUID()}`;
  const file = await workflow(name, {
    main: job('Hold', `echo a line that is longer than the window; ${until(name)}`),
  });
  const child = run(file, options);
  await child.shows(/longer|window/);
  await open(name);
  expect(await child.ended).toBe(0);
  return child;
}

test('a window of 20 columns and 5 rows has an area of its size', async () => {
  const child = await quick({ columns: 20, rows: 5 });
  const areas = child.seen().map(areaOf);
  expect(areas.some((area) => area.length === 2 && area[1]?.startsWith('● main'))).toBe(true);
  expect(child.lines().some((line) => line.endsWith('a line that is longer than the window'))).toBe(
    true,
  );
  expect(child.lines().filter((line) => /^[●○]|jobs? done/.test(line))).toEqual([]);
});

const ESCAPE = '\u001b';

test.each([
  ['a terminal that can do nothing', { TERM: 'dumb' }],
  ['whoever wants nothing to move or to be coloured', { TUTTI_PROGRESS: 'plain', NO_COLOR: '1' }],
  ['a terminal of a build server', { CI: 'true', NO_COLOR: '1' }],
])('%s gets lines alone', async (_name, env) => {
  const child = await quick({ env });
  expect(child.raw()).toContain('│ a line that is longer than the window');
  expect(child.raw()).not.toContain(ESCAPE);
  expect(child.raw()).not.toContain('jobs done');
});

test('without colours there is the same to read', async () => {
  const child = await quick({ env: { NO_COLOR: '1' } });
  const colours = child
    .raw()
    .split(ESCAPE)
    .slice(1)
    .filter((rest) => /^\[[\d;]*m/.test(rest));
  expect(colours).toEqual([]);
  expect(child.seen().some((screen) => areaOf(screen).length > 0)).toBe(true);
  const coloured = await quick({ env: { FORCE_COLOR: '1' } });
  expect(coloured.raw()).toContain(`${ESCAPE}[32m✓ succeeded`);
});

test('--progress line has one line below the log', async () => {
  const child = await quick({ env: { TUTTI_PROGRESS: 'line' } });
  const last = child.seen().map((screen) => screen.at(-1) ?? '');
  expect(last.some((line) => /^0 of 1 job done · 1 running · .* main ▸ Hold$/.test(line))).toBe(
    true,
  );
  expect(child.lines().filter((line) => /jobs? done/.test(line))).toEqual([]);
});

test('a run that somebody started is watched from its beginning; Ctrl-C leaves, and the run goes on', async () => {
  const file = await workflow('watched', { main: job('Hold', `echo begun; ${until('watched')}`) });
  const started = await runCli(['run', file], { cwd, env: access });
  const id = started.stdout.split(' ')[1] ?? '';
  const watch = () =>
    startOnTerminal(['workflows', 'watch', id.slice(0, 30), '--no-hints'], { cwd, env: access });
  const left = watch();
  await left.shows(/│ begun[\s\S]*● main/);
  left.type('\u0003');
  expect(await left.ended).toBe(130);
  expect(left.lines().at(-1)).toBe(`Left; workflow ${id} goes on.`);
  const child = watch();
  await child.shows(/│ begun[\s\S]*● main/);
  await open('watched');
  expect(await child.ended).toBe(0);
  expect(child.lines().at(-1)).toBe('Result: NOTEST, no test results.');
  const json = ['workflows', 'watch', id, '-o', 'json'];
  const { stdout, code } = await runCli(json, { cwd, env: access });
  const kinds = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  expect([kinds.at(0), kinds.at(-1), code]).toEqual(['Workflow', 'RunEnded', 0]);
});
