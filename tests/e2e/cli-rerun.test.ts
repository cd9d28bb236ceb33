/** `tutti run --jobs`, `--from-failed`, `tutti workflows rerun` and `delete`: on a server, and on this machine. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGate, type Gate } from '../support/gate.ts';
import { logged, oneJob, start, statusOf } from '../support/runs.ts';
import { reportStep } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { type CliResult, runCli } from './cli-process.ts';
import { job, openLocalDirectory } from './local-directory.ts';

let bench: Workbench;
let server: ServerChild;
let gate: Gate;

beforeAll(async () => {
  bench = await Workbench.open();
  gate = createGate(bench);
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'one' });
});

afterAll(() => bench.close());

const tutti = (...args: string[]) =>
  runCli(args, {
    cwd: bench.folder,
    env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
  });

const idIn = ({ stdout }: CliResult): string => stdout.split(' ')[1] ?? '';

/** The second job fails until the file is there. */
const jobsUntil = (mended: string) => ({
  build: job('echo building'),
  test: job(`test -e '${mended}' && echo mended`, { needs: 'build' }),
  ship: job('echo shipping', { needs: 'test' }),
});

async function workflow(name: string, jobs: object): Promise<string> {
  const file = bench.path(`${name}.json`);
  await writeFile(file, JSON.stringify({ metadata: { name }, jobs }));
  return file;
}

test('--jobs runs these and what they need', async () => {
  const mended = bench.path('mended');
  await writeFile(mended, '');
  const file = await workflow('parts', jobsUntil(mended));
  const some = await tutti('run', file, '--jobs', 'test', '--wait');
  expect([some.code, some.stderr]).toEqual([0, '']);
  expect(some.stdout).toContain('│ building');
  expect(some.stdout).toContain('│ mended');
  expect(some.stdout).not.toContain('│ shipping');
  const unknown = await tutti('run', file, '--jobs', 'tests');
  expect(unknown).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'tutti: The workflow has no job "tests", did you mean "test"? It has "build", "test", "ship".\n' +
      'What to do: correct what is named above, then try again.\n',
  });
});

describe('what failed runs again', () => {
  test('with run --from-failed, and with workflows rerun, where something did', async () => {
    const mended = bench.path('mended');
    const first = await tutti('run', await workflow('broken', jobsUntil(mended)), '--wait');
    expect(first.code).toBe(1);
    const again = await tutti('workflows', 'rerun', idIn(first), '--failed', '--wait');
    expect(again.code).toBe(1);
    expect(again.stdout).not.toContain('│ building');
    await writeFile(mended, '');
    const third = await tutti('run', '--from-failed', idIn(again), '--wait');
    expect([third.code, third.stderr]).toEqual([0, '']);
    expect(third.stdout).toMatch(/^Workflow [0-9a-f-]{36} started\.\n/);
    expect(third.stdout).not.toContain('│ building');
    expect(third.stdout).toContain('│ mended');
    expect(third.stdout).toContain('│ shipping');
    const nothing = await tutti('workflow', 'rerun', idIn(third), '--failed');
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      `tutti: Nothing of workflow ${idIn(third)} failed or did not run. To run it again as a whole, leave "failed" out.\n`,
    ]);
    const whole = await tutti('workflow', 'rerun', '--wait');
    expect(whole.code).toBe(0);
    expect(whole.stdout).toContain('│ building');
    const part = await tutti('workflow', 'rerun', idIn(whole), '--jobs', 'build', '--wait');
    expect(part.stdout).toContain('│ building');
    expect(part.stdout).not.toContain('│ mended');
  });

  test('and is judged with the tests of what did not', async () => {
    const mended = bench.path('judged');
    const failing = reportStep([{ name: 'adds', seconds: 1, outcome: '<failure/>' }]);
    const unit = { 'runs-on': 'linux', steps: [failing] };
    const jobs = { unit, ship: job(`test -e '${mended}'`, { needs: 'unit' }) };
    const first = await tutti('run', await workflow('judged', jobs), '--wait');
    await writeFile(mended, '');
    const judged = ['--from-failed', idIn(first), '--wait', '--gate', 'strict'];
    const { code, stdout, stderr } = await tutti('run', ...judged);
    expect([first.code, code, stderr]).toEqual([1, 102, '']);
    expect(stdout).toContain(
      `With the test results of the job "unit", taken over from workflow ${idIn(first)}.\n`,
    );
  });

  test('on this machine, in the directory of the earlier run', async () => {
    const directory = await openLocalDirectory();
    const file = await directory.workflow('local', jobsUntil(`${directory.cwd}/mended`));
    const first = await directory.run('run', '--local', file);
    expect(first.code).toBe(1);
    await directory.write('mended');
    const again = await directory.run('run', '--local', '--from-failed', idIn(first));
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout).not.toContain('│ building');
    expect(again.stdout).toContain('│ shipping');
    const whole = await directory.run('workflows', 'rerun', '--local', idIn(first));
    expect(whole.code).toBe(0);
    expect(whole.stdout).toContain('│ building');
    const deleted = await directory.run('workflows', 'delete', idIn(first));
    expect(deleted).toMatchObject({ code: 0, stdout: `Workflow ${idIn(first)} deleted.\n` });
    const left = await directory.run('workflows', '-o', 'name');
    expect(left.stdout).toBe(`${idIn(whole)}\n${idIn(again)}\n`);
  });
});

describe('delete', () => {
  const over = async (name: string): Promise<string> => {
    const metadata = { name, labels: { left: name } };
    const file = bench.path('over.json');
    await writeFile(file, JSON.stringify({ metadata, jobs: { a: job('true') } }));
    return idIn(await tutti('run', file, '--wait'));
  };

  test('removes those that are named, and says which it cannot', async () => {
    const [one, two] = [await over('one'), await over('two')];
    const going = await start(server, oneJob('going', [gate.step]));
    await logged(server, going, 'held');
    const { code, stdout, stderr } = await tutti('workflows', 'delete', one, going, two);
    expect([code, stdout]).toEqual([2, `Workflow ${one} deleted.\nWorkflow ${two} deleted.\n`]);
    expect(stderr).toBe(
      `tutti: Workflow ${going} goes on. Wait for its end, or cancel it; then try again.\n`,
    );
    expect(await statusOf(server, going)).toBe('RUNNING');
    const listed = await tutti('workflows', '-o', 'name');
    expect(listed.stdout).toContain(going);
    for (const id of [one, two]) expect(listed.stdout).not.toContain(id);
    await gate.open();
  });

  test('removes those that are over and that a selector chooses, or says what it would', async () => {
    const id = await over('chosen');
    const chosen = ['workflows', 'delete', '-l', 'left=chosen'];
    const dry = await tutti(...chosen, '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([0, `Workflow ${id} would be deleted.\n`]);
    const done = await tutti(...chosen, '--yes');
    expect([done.code, done.stdout]).toEqual([0, `Workflow ${id} deleted.\n`]);
    const none = await tutti(...chosen, '--yes');
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No workflow that is over fits: there is nothing to delete.\n',
    });
  });
});
