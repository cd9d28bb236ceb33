/** `tutti run` where no server is named and none runs: on this machine. */
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { processesWith } from '../support/process-facts.ts';
import { runCli } from './cli-process.ts';
import { interrupted, job, openLocalDirectory, untilThere } from './local-directory.ts';

test('a workflow runs on this machine to its end, and nothing stays but its data', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('greets', { hello: job('echo hello $((40 + 2))') });
  const { code, stdout, stderr } = await directory.run('run', file);
  expect(stderr).toBe('Running on this machine; name a server with --server to run there.\n');
  expect(stdout).toMatch(/^Workflow \S+ started\.\n/);
  expect(stdout).toContain('│ hello 42');
  expect(stdout).toContain('Result: NOTEST');
  expect(code).toBe(0);
  expect((await readdir(join(directory.cwd, '.tutti'))).sort()).toEqual([
    '.gitignore',
    'admin.token',
    'blobs',
    'keys',
    'store',
    'workspaces',
  ]);
  expect(await readdir(join(directory.cwd, '.tutti/workspaces/passing'))).toEqual([]);
  expect(processesWith(directory.cwd)).toEqual([]);
});

test('the shell runs nothing that stands in the name of a folder', async () => {
  const directory = await openLocalDirectory();
  const cwd = join(directory.cwd, 'a `touch pwn` $(touch pwn) "b"');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a name that a shell would expand.
  const inner = join(cwd, '$(touch${IFS}pwn)/c`touch${IFS}pwn` \\');
  await mkdir(inner, { recursive: true });
  await writeFile(join(inner, 'package.json'), '{"scripts": {"test": "touch ran"}}');
  expect((await runCli(['init'], { cwd })).code).toBe(0);
  const { code } = await runCli(['run', 'workflow.yaml'], { cwd });
  const names = await readdir(directory.cwd, { recursive: true });
  expect(names.filter((name) => /(?:^|\/)pwn$/.test(name))).toEqual([]);
  expect(await readdir(inner)).toContain('ran');
  expect(code).toBe(0);
});

test('lines of standard error are marked, also of a step that goes on', async () => {
  const directory = await openLocalDirectory();
  const script = `echo first; echo wrong >&2; ${untilThere(directory, 'go')}; echo last >&2`;
  const file = await directory.workflow('marked', { main: job(script) });
  const child = directory.start('run', '--local', file);
  await child.said(/┃ wrong/);
  await directory.write('go');
  expect(await child.ended).toBe(0);
  expect(
    child
      .stdout()
      .match(/[│┃] \w+$/gm)
      ?.toSorted(),
  ).toEqual(['│ first', '┃ last', '┃ wrong']);
});

test('a workflow that fails ends with 1, and --local says nothing of servers', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('fails', { broken: job('exit 3') });
  const { code, stdout, stderr } = await directory.run('run', '--local', file);
  expect(stdout).toContain('exit code 3');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

test('a workflow that is not valid is refused as by a server', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('wrong', {});
  const { code, stderr } = await directory.run('run', '--local', file);
  expect(stderr).toMatch(/^tutti: Not a valid Workflow manifest: jobs: must not be empty/);
  expect(code).toBe(2);
});

test('unknown functions and inputs are refused before the start, all at once', async () => {
  const directory = await openLocalDirectory();
  const calls = [
    { uses: 'actions/create-flie@v1' },
    { uses: 'actions/create-file@v1', with: { date: 'x', format: 'txt', path: 'x' } },
  ];
  const file = await directory.workflow('calls', { a: { 'runs-on': 'linux', steps: calls } });
  const { code, stdout, stderr } = await directory.run('run', '--local', file);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /no function "actions\/create-flie@v1"\. Did you mean "actions\/create-file@v1"\? \(line \d+, column \d+\)\n.*"data" not provided.*\n.*no input "date"\. Did you mean "data"\? \(line/,
  );
});

test('a job whose tags this machine does not have fails at once, and says what to do; others run', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('apart', {
    here: job('echo it runs'),
    elsewhere: job('true', { 'runs-on': ['windows', 'gpu'] }),
  });
  const { code, stdout } = await directory.run('run', '--local', file);
  expect(stdout).toContain('│ it runs');
  expect(stdout).toContain(
    'This machine does not offer the tags "gpu", "windows". If it has what the job needs, add --tags gpu,windows; or name a server with --server.',
  );
  expect(code).toBe(1);
});

test('this machine offers what --tags says beside its operating system', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('tagged', {
    both: job('echo "it runs"', { 'runs-on': ['linux', 'gpu'] }),
  });
  const { code, stdout } = await directory.run('run', '--local', '--tags', 'gpu,fast', file);
  expect(stdout).toContain('│ it runs');
  expect(code).toBe(0);
});

test('as many jobs run at a time as --max-parallel says', async () => {
  const directory = await openLocalDirectory();
  const { cwd } = directory;
  const meets = (name: string) =>
    job(
      `touch ${cwd}/${name}.met; until [ $(ls ${cwd}/*.met | wc -l) -eq 7 ]; do sleep 0.02; done`,
    );
  const jobs = Object.fromEntries([...'abcdefg'].map((name) => [name, meets(name)]));
  const seven = await directory.workflow('seven', jobs);
  expect((await directory.run('run', '--local', '--max-parallel', '7', seven)).code).toBe(0);
  const alone = job(`mkdir ${cwd}/busy && sleep 0.1 && rmdir ${cwd}/busy`);
  const three = await directory.workflow('three', { a: alone, b: alone, c: alone });
  expect((await directory.run('run', '--local', '--max-parallel', '1', three)).code).toBe(0);
});

test('--keep-workspaces leaves the directories of jobs and says where they are', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('makes', { main: job('echo made > it.txt') });
  const { stdout } = await directory.run('run', '--local', '--keep-workspaces', file);
  const [, kept = ''] = /^Workspaces:\n {2}(\S+)\n$/m.exec(stdout) ?? [];
  await access(join(kept, 'it.txt'));
});

test('Ctrl-C cancels the workflow, and what is to run always still runs', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('long', {
    main: {
      'runs-on': 'linux',
      steps: [
        { run: `echo begun; ${untilThere(directory, 'go')}` },
        { run: 'echo cleaned up', if: 'always()' },
      ],
    },
  });
  const child = directory.start('run', '--local', file);
  await child.said(/│ begun/);
  child.kill('SIGINT');
  expect(await child.ended).toBe(1);
  expect(child.stdout()).toContain('│ cleaned up');
  expect(child.stdout()).toContain('\nWhat was stopped\n');
  expect(child.stdout()).toMatch(/^Result: canceled by you, no test results\.$/m);
  expect(processesWith(directory.cwd)).toEqual([]);
});

test('Ctrl-C twice ends all that the workflow started, at once', async () => {
  const directory = await openLocalDirectory();
  const stays = `trap '' TERM; echo begun; ${untilThere(directory, 'go')}`;
  const file = await directory.workflow('stubborn', { main: job(stays) });
  const child = directory.start('run', '--local', file);
  await child.said(/│ begun/);
  child.kill('SIGINT');
  await child.said(/Canceling the workflow; once more ends all that it runs at once\./);
  const again = setInterval(() => child.kill('SIGINT'), 120);
  expect(await child.ended).toBe(130);
  expect(child.stderr()).toMatch(/^Ended what workflow \S+ still ran\.\n$/);
  clearInterval(again);
  expect(processesWith(directory.cwd)).toEqual([]);
  const said = async (...args: readonly string[]) => (await directory.run(...args)).stdout;
  expect(await said('status')).toMatch(/^\S+ {2}CANCELED .* stubborn$/m);
  expect(await said('jobs')).toMatch(/^main +CANCELLED /m);
  expect(await said('workflows', 'show')).toMatch(/^Workflow "stubborn" .*: CANCELED$/m);
});

test('a run of a process that was killed is ended by the next one, which says so', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('killed', {
    main: {
      'runs-on': 'linux',
      steps: [{ run: `echo begun; ${untilThere(directory, 'go')}` }, { run: 'echo second' }],
    },
  });
  const child = directory.start('run', '--local', file);
  const [, id = ''] = await child.said(/^Workflow (\S+) started\.$/m);
  await child.said(/│ begun/);
  child.kill('SIGKILL');
  await child.ended;
  await directory.write('go');
  const next = await directory.run('run', '--local', file);
  expect(next.stderr).toMatch(interrupted(id));
  expect(next.stdout.match(/│ second/g)).toHaveLength(1);
  expect(next.code).toBe(0);
});

test('of a process that is killed nothing goes on that its steps started', async () => {
  const directory = await openLocalDirectory();
  const stays = `trap '' TERM; (sleep 600; echo ${directory.cwd}) & echo begun; ${untilThere(directory, 'go')}`;
  const file = await directory.workflow('left', {
    main: { 'runs-on': 'linux', steps: [{ run: 'true' }, { run: stays }] },
  });
  const child = directory.start('run', '--local', file);
  await child.said(/│ begun/);
  expect(processesWith(directory.cwd)).not.toEqual([]);
  child.kill('SIGKILL');
  await child.ended;
  await eventually('no process is left', () => processesWith(directory.cwd).length === 0);
});

test('two runs in one directory at the same time both come to their ends', async () => {
  const directory = await openLocalDirectory();
  const first = await directory.workflow('first', {
    a: job(`echo one; ${untilThere(directory, 'go')}`),
  });
  const second = await directory.workflow('second', { b: job('echo two') });
  const one = directory.start('run', '--local', first);
  await one.said(/│ one/);
  const two = await directory.run('run', '--local', second);
  expect(two.stdout).toContain('│ two');
  expect(two.code).toBe(0);
  await directory.write('go');
  expect(await one.ended).toBe(0);
});

test('a server that has the data directory is asked, and --local is refused', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('any', { a: job('true') });
  const server = directory.start('server', '--port', '0', '--log-level', 'error');
  const [, url = ''] = await server.said(/^Tutti is ready on (\S+)$/m);
  const started = await directory.run('run', file);
  expect(started.stdout).toMatch(/^Workflow \S+ started\.\n$/);
  const refused = await directory.run('run', '--local', file);
  expect(refused.stderr).toBe(
    `tutti: A server has the data directory ./.tutti: ${url}.\nWhat to do: leave --local out to run there, stop that server, or name another directory with --data-dir.\n`,
  );
  const useless = await directory.run('run', '--tags', 'x', file);
  expect(useless.stderr).toBe(
    'tutti: --tags is about this machine, and the workflow runs on a server.\nWhat to do: leave it out; or add --local to run on this machine.\n',
  );
});

test('a server that was killed is in no way, whoever has the number of its process', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('any', { a: job('echo here') });
  const server = directory.start('server', '--port', '0', '--log-level', 'error');
  await server.said(/^Tutti is ready on (\S+)$/m);
  server.kill('SIGKILL');
  await server.ended;
  const actual = JSON.parse(await directory.read('.tutti/server.json'));
  const text = JSON.stringify({ ...actual, pid: process.pid });
  await writeFile(join(directory.cwd, '.tutti/server.json'), text);
  const { code, stdout, stderr } = await directory.run('run', '--local', file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('│ here');
});

test('what a stopped server had begun waits for it, and goes on with it', async () => {
  const directory = await openLocalDirectory();
  const startServer = (port: string) =>
    directory.start('server', '--port', port, '--log-level', 'error');
  const server = startServer('0');
  const [, port = ''] = await server.said(/^Tutti is ready on http:\S+:(\d+)$/m);
  const url = `http://127.0.0.1:${port}`;
  const token = (await directory.read('.tutti/admin.token')).trim();
  const agent = directory.start('agent', '--tags', 'far', '--server', url, '--token', token);
  await agent.said(/The agent is registered/);
  const waits = `echo begun; ${untilThere(directory, 'go')}; echo ended once`;
  const far = await directory.workflow('far', { a: job(waits, { 'runs-on': 'far' }) });
  const run = directory.start('run', '--wait', far);
  await run.said(/│ begun/);
  server.kill('SIGKILL');
  await server.ended;
  const near = await directory.workflow('near', { b: job('echo here') });
  const local = await directory.run('run', near);
  expect(local.stdout).toContain('│ here');
  expect(local.code).toBe(0);
  await directory.write('go');
  await startServer(port).said(/^Tutti is ready/m);
  expect(await run.ended).toBe(0);
  expect(run.stdout().match(/│ ended once/g)).toHaveLength(1);
});
