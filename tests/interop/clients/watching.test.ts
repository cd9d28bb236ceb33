/** Looking at workflows with existing clients, and killing them. */
import { expect } from 'vitest';
import { allEvents, ended, oneJob, only, sh, start, statusOf } from '../../support/runs.ts';
import type { ServerChild } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { useClientServers } from './client-servers.ts';
import { cellsOf } from './ctl.ts';
import { OLD } from './subjects.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** A workflow that waits for ever, with a label of its own. */
const startWaiting = (server: ServerChild, label: string) =>
  start(server, {
    ...oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }),
    metadata: { name: 'waiting', labels: { 'example.com/of': label } },
  });

const NESTED = oneJob('nested', [
  { uses: 'actions/create-file@v1', with: { data: 'x', format: 'txt', path: 'x.txt' } },
  sh('echo "a rather long command"; echo "::attach::$PWD/x.txt"'),
]);

feature('shows what a workflow did, as deep as it is asked to', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const shown = await ctl.run('get', 'workflow', id);
  expect(shown.stdout).toContain('a rather long command');
  expect(shown.stdout).not.toContain('cat > x.txt');
  const depth = OLD.includes(run.subject) ? '--step_depth=2' : '--step-depth=0';
  const deep = await ctl.run('get', 'workflow', id, depth);
  expect(deep.stdout).toContain('cat > x.txt');
  expect([shown.code, deep.code]).toEqual([0, 0]);
});

feature('shows the notifications, attachments and whole commands of a workflow', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const words = ['-a', '-v', '-c', '0', '--show-attachments', '--output-prefix', '{timestamp}|'];
  const { code, stdout } = await ctl.run('get', 'workflow', id, ...words);
  expect(stdout).toContain(`echo "::attach::$PWD/x.txt"`);
  expect(stdout).toMatch(/Produced attachment [-0-9a-f]{36} \(x\.txt\)\./);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\| *Requesting/m);
  expect(code).toBe(0);
});

feature('shows each line of a step once, with notifications, too', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, oneJob('prints', [sh('echo first; sleep 0.3; echo second')]));
  await ended(server, id);
  const streamed = only(await allEvents(server, id), 'Notification').flatMap(
    ({ spec }) => Object(spec)['tutti.output'] ?? [],
  );
  expect(streamed).toContain('first');
  const { code, lines } = await ctl.run('get', 'workflow', id, '-a');
  const shown = lines.filter((line) => /(?:first|second)$/.test(line));
  expect(shown.map((line) => line.split(' ').at(-1))).toEqual(['first', 'second']);
  expect(code).toBe(0);
});

feature('shows the events that are selected', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const words = ['--field-selector', 'kind==ExecutionResult', '-o', 'json'];
  const { items, status } = JSON.parse((await ctl.run('get', 'workflow', id, ...words)).stdout);
  expect(items).toEqual(only(await allEvents(server, id), 'ExecutionResult'));
  expect(status).toBe('DONE');
});

feature('gives a workflow as JSON', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await start(server, NESTED);
  await ended(server, id);
  const { code, stdout } = await ctl.run('get', 'workflow', id, '-o', 'json');
  const { items, status } = JSON.parse(stdout);
  expect(items).toEqual(await allEvents(server, id));
  expect([status, code]).toEqual(['DONE', 0]);
});

feature('shows a workflow of many pages', async (run) => {
  const { ctl, server } = await servers.open(run);
  const steps = Array.from({ length: 60 }, (_, index) => sh(`echo "line number ${index}."`));
  const id = await start(server, oneJob('long', steps));
  await ended(server, id);
  expect((await allEvents(server, id)).length).toBeGreaterThan(120);
  const { code, lines } = await ctl.run('get', 'workflow', id);
  const shown = lines.flatMap((line) => /(line number \d+\.)$/.exec(line)?.[1] ?? []);
  expect(shown).toEqual(steps.map((_, index) => `line number ${index}.`));
  expect(code).toBe(0);
});

feature('lists workflows', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await startWaiting(server, run.id);
  const { code, lines } = await ctl.run('get', 'workflows');
  expect(cellsOf(lines[0])).toEqual(['WORKFLOW_ID', 'STATUS', 'NAME']);
  const status = OLD.includes(run.subject) ? 'RUNNING' : 'PENDING';
  expect(lines.map(cellsOf)).toContainEqual([id, status, 'waiting']);
  expect(code).toBe(0);
});

feature('gives workflows as JSON, YAML and columns', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await startWaiting(server, run.id);
  const select = ['--field-selector', `metadata.workflow_id==${id}`];
  const json = await ctl.run('get', 'workflows', ...select, '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { metadata: { workflow_id: id }, status: { phase: 'PENDING' } },
  ]);
  const yaml = await ctl.run('get', 'workflows', ...select, '-o=yaml');
  expect(yaml.stdout).toContain(`workflow_id: ${id}`);
  const columns = 'custom-columns=ID:.metadata.workflow_id,JOBS:.jobs.*~,NONE:.metadata.none';
  const { lines } = await ctl.run('get', 'workflows', ...select, '-o', columns);
  expect(lines.map(cellsOf)).toEqual([
    ['ID', 'JOBS', 'NONE'],
    [id, '["main"]', '<none>'],
  ]);
  const wide = await ctl.run('get', 'workflows', ...select, '-o', 'wide');
  expect(cellsOf(wide.lines[0])).toContain('FIRST_SEEN_TIMESTAMP');
});

feature('lists the workflows that are selected, and those that have some event', async (run) => {
  const { ctl, server } = await servers.open(run);
  const waiting = await startWaiting(server, run.id);
  const over = await start(server, {
    ...NESTED,
    metadata: { name: 'over', labels: { 'example.com/of': run.id } },
  });
  await ended(server, over);
  const listed = async (...words: readonly string[]) =>
    (await ctl.run('get', 'workflows', '-l', `example.com/of==${run.id}`, ...words)).lines
      .slice(1)
      .map((line) => cellsOf(line)[0]);
  expect(await listed()).toEqual([waiting, over]);
  expect(await listed('--field-selector', 'status.phase==DONE')).toEqual([over]);
  expect(await listed('--having', 'kind==ExecutionResult')).toEqual([over]);
});

feature('kills a workflow by its id', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await startWaiting(server, run.id);
  const { code, stdout } = await ctl.run('kill', 'workflow', id);
  expect(stdout).toContain(`Killing workflow ${id}.`);
  expect(code).toBe(0);
  expect(await statusOf(server, id)).toBe('FAILED');
  expect((await ctl.run('kill', 'workflow', id)).code).toBe(0);
});

/** With a server that no other test has. */
async function openAlone(run: Parameters<typeof servers.open>[0]) {
  const server = await servers.bench.server();
  const { ctl } = await servers.open(run, {
    orchestrator: { server: server.url },
    user: { token: server.token },
  });
  return { ctl, server };
}

feature('kills the workflows that are selected, and all of them', async (run) => {
  const { ctl, server } = await openAlone(run);
  const one = await startWaiting(server, 'one');
  const two = await startWaiting(server, 'two');
  expect((await ctl.run('kill', 'workflow', '-l', 'example.com/of==one')).code).toBe(0);
  expect([await statusOf(server, one), await statusOf(server, two)]).toEqual(['FAILED', 'PENDING']);
  const all = await ctl.run('kill', 'workflow', '--all');
  expect(all.lines).toEqual([`Killing workflow ${two}.`]);
  const none = await ctl.run('kill', 'workflow', '--all');
  expect([none.lines, none.code]).toEqual([['Nothing to delete.'], 0]);
  expect((await ctl.run('kill', 'workflow', one, '--all')).code).toBe(2);
});

feature('tells the reason and the source of a kill', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await startWaiting(server, run.id);
  const watching = ctl.start(['get', 'workflow', id, '--watch']);
  const words = ['--reason', 'no longer needed', '--source', 'a pipeline'];
  expect((await ctl.run('kill', 'workflow', id, ...words)).code).toBe(0);
  const { code, stdout } = await watching.whenEnded;
  expect(stdout).toContain('no longer needed\nWorkflow cancelled.');
  expect(code).toBe(0);
  const [end] = only(await allEvents(server, id), 'WorkflowCanceled');
  expect(end?.details).toMatchObject({ reason: 'no longer needed', source: 'a pipeline' });
});

feature('checks whether a workflow can be killed', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await startWaiting(server, run.id);
  expect((await ctl.run('kill', 'workflow', id, '--dry-run')).code).toBe(0);
  expect(await statusOf(server, id)).toBe('PENDING');
  await server.call('DELETE', `/workflows/${id}`);
  expect((await ctl.run('kill', 'workflow', id, '--dry-run')).code).toBe(1);
});

feature('takes the beginning of an id', async (run) => {
  const { ctl, server } = await openAlone(run);
  const one = await startWaiting(server, 'one');
  const two = await startWaiting(server, 'two');
  const differ = [...one].findIndex((sign, index) => sign !== two[index]);
  expect((await ctl.run('get', 'workflow', one.slice(0, differ + 1))).code).toBe(0);
  expect((await ctl.run('get', 'workflow', one.slice(0, differ))).code).toBe(2);
  expect((await ctl.run('get', 'workflow', 'ffff')).code).toBe(2);
});

feature('ends with an error for a workflow that is not known', async (run) => {
  const { ctl } = await servers.open(run);
  for (const words of [['get'], ['kill']]) {
    const { code, stderr } = await ctl.run(...words, 'workflow', UNKNOWN);
    expect(stderr).toContain(UNKNOWN);
    expect(code).toBe(1);
  }
  expect((await ctl.run('get', 'workflow', 'no id')).code).toBe(2);
});
