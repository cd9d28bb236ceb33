/** Commands about runs of this machine, during and after them, without a server. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesWith } from '../support/process-facts.ts';
import { interrupted, job, openLocalDirectory, startedId, untilThere } from './local-directory.ts';

const SUITE =
  '<testsuite name="cart" tests="1"><testcase classname="cart" name="adds" time="0.1"/></testsuite>';

test('commands about a run read what it left in the data directory', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('reports', {
    main: job(
      `echo '${SUITE}' > r.xml; echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$(pwd)/r.xml"`,
    ),
  });
  const run = directory.start('run', '--local', file);
  const id = await startedId(run);
  expect(await run.ended).toBe(0);
  const list = await directory.run('status');
  expect(list.stdout).toMatch(new RegExp(`^${id}  DONE +1 `, 'm'));
  expect((await directory.run('status', id, '--log')).stdout).toContain('Workflow reports');
  expect((await directory.run('testcases', id)).stdout).toContain('adds');
  expect((await directory.run('gate', id)).code).toBe(0);
  const saved = await directory.run('attachments', id, '--save-to', 'saved');
  const [, path = ''] = /(\S*r\.xml)/.exec(saved.stdout) ?? [];
  expect(await readFile(join(directory.cwd, path), 'utf8')).toContain(SUITE);
  expect(processesWith(directory.cwd)).toEqual([]);
});

test('a report that nobody made yet is made without a server', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('any', { main: job('true') });
  const run = directory.start('run', '--local', file);
  const id = await startedId(run);
  await run.ended;
  const insights = 'insights:\n- name: events\n  kind: ExecutionLog\n';
  await writeFile(join(directory.cwd, 'insights.yaml'), insights);
  const report = await directory.run('report', id, '--using', 'insights.yaml', '--save-to', 'made');
  expect(report.stderr).toBe('');
  expect(report.code).toBe(0);
});

test.each(['status', 'workflows'])('without runs, %s says where it looked', async (command) => {
  const directory = await openLocalDirectory();
  const { code, stdout, stderr } = await directory.run(command);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^There are no runs in \.\/\.tutti, and no server answers at http:\S+\. Start one with: .* run FILE\n$/,
  );
  expect((await directory.run(command, '-o', 'json')).stdout).toBe('[]\n');
  const named = await directory.run(command, '--server', 'http://127.0.0.1:1');
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('cannot be reached')]);
});

test('a page about a run is made without a definition and without a server', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('paged', { main: job('echo shown') });
  const run = await directory.run('run', '--local', file, '--report', 'html:made/page.html');
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('Report "report" is saved as made/page.html.\n');
  expect(await directory.read('made/page.html')).toMatch(/^<!doctype html>[\s\S]*paged/i);
  const report = await directory.run('report', '--html');
  expect(report).toEqual({
    code: 0,
    stdout: 'NAME    SAVED_AS\nreport  report.html\n',
    stderr: '',
  });
  expect(await directory.read('report.html')).toMatch(/^<!doctype html>[\s\S]*paged/i);
  const both = await directory.run('report', '--html', '--using', 'insights.yaml');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("'--using <file>'")]);
});

test('what only a server has is asked of a server', async () => {
  const directory = await openLocalDirectory();
  await directory.run('run', '--local', await directory.workflow('any', { main: job('true') }));
  const { code, stderr } = await directory.run('agents');
  expect(stderr).toContain('cannot be reached');
  expect(code).toBe(2);
});

test('a run is shown while it goes on, and by whoever asks when its process was killed it is ended', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('goes', {
    main: job(`echo begun; ${untilThere(directory, 'go')}`),
  });
  const run = directory.start('run', '--local', file);
  const id = await startedId(run);
  await run.said(/│ begun/);
  expect((await directory.run('status')).stdout).toContain(`${id}  RUNNING`);
  run.kill('SIGKILL');
  await run.ended;
  const first = await directory.run('status');
  expect(first.stderr).toMatch(interrupted(id));
  expect(first.stdout).toContain(`${id}  CANCELED`);
  const log = await directory.run('status', id, '--log');
  expect(log).toMatchObject({ code: 0, stderr: '' });
  expect(log.stdout).toContain(
    'It was interrupted: the process that ran it on this machine was ended.',
  );
});

test('a server that takes over the data directory ends what was interrupted', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('goes', {
    main: job(`echo begun; ${untilThere(directory, 'go')}`),
  });
  const run = directory.start('run', '--local', file);
  const id = await startedId(run);
  await run.said(/│ begun/);
  run.kill('SIGKILL');
  await run.ended;
  const server = directory.start('server', '--port', '0', '--log-level', 'error');
  await server.said(/^Tutti is ready/m);
  expect(
    (
      await directory.run(
        'run',
        '--wait',
        await directory.workflow('x', { a: { 'runs-on': 'inception', steps: [{ run: 'true' }] } }),
      )
    ).code,
  ).toBe(0);
  expect((await directory.run('status')).stdout).toContain(`${id}  CANCELED`);
});

test('a run that was handed over ends with the process that it was handed to', async () => {
  const directory = await openLocalDirectory();
  const stays = job(`echo begun; ${untilThere(directory, 'go')}`);
  const host = directory.start('run', '--local', await directory.workflow('host', { a: stays }));
  await host.said(/│ begun/);
  const guest = directory.start('run', '--local', await directory.workflow('guest', { b: stays }));
  const id = await startedId(guest);
  await guest.said(/│ begun/);
  host.kill('SIGKILL');
  expect(await guest.ended).toBe(1);
  expect(guest.stderr()).toContain(`Workflow ${id} was interrupted`);
});

test('a process stays until the runs that were handed to it have ended, too', async () => {
  const directory = await openLocalDirectory();
  const hostFile = await directory.workflow('host', {
    a: job(`echo begun; ${untilThere(directory, 'first')}`),
  });
  const host = directory.start('run', '--local', hostFile);
  await host.said(/│ begun/);
  const guestFile = await directory.workflow('guest', {
    b: job(`echo begun; ${untilThere(directory, 'second')}`),
  });
  const guest = directory.start('run', '--local', guestFile);
  await guest.said(/│ begun/);
  await directory.write('first');
  await host.said(
    /^Workflows of other commands still run in this process, which ends with the last of them; Ctrl-C ends them now\.$/m,
  );
  expect((await directory.run('status')).stdout).toContain('RUNNING');
  await directory.write('second');
  expect(await guest.ended).toBe(0);
  expect(await host.ended).toBe(0);
});

test('runs that are started at the same moment all come to their ends', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('quick', { main: job('true') });
  const runs = [1, 2, 3, 4].map(() => directory.start('run', '--local', file));
  const ends = await Promise.all(runs.map((run) => run.ended));
  // One may come to a process that is about to end, and waits for the next one.
  const waits = /^(?:tutti: The server ends\. Try again later\.\n {2}Nothing was started\. .*\n)*$/;
  for (const run of runs) expect(run.stderr()).toMatch(waits);
  expect(ends).toEqual([0, 0, 0, 0]);
});

test('what is left of a run that was interrupted is run with --from-failed', async () => {
  const directory = await openLocalDirectory();
  const file = await directory.workflow('half', {
    first: job('echo first runs'),
    second: job(`echo second runs; ${untilThere(directory, 'go')}`, { needs: 'first' }),
  });
  const run = directory.start('run', '--local', file);
  const id = await startedId(run);
  await run.said(/│ second runs/);
  run.kill('SIGKILL');
  await run.ended;
  await directory.write('go');
  const rest = await directory.run('run', '--local', '--from-failed', id);
  expect(rest.stdout).toContain('│ second runs');
  expect(rest.stdout).not.toContain('│ first runs');
  expect(rest.code).toBe(0);
});
