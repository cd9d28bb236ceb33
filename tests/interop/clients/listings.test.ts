/** Listings in existing clients: agents, channels, namespaces, subscriptions, versions. */
import { expect } from 'vitest';
import { bodyOf, detailsOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { listed, phaseOf, registerExisting } from '../../support/existing-agent.ts';
import { createGate } from '../../support/gate.ts';
import { ended, oneJob, sh, start } from '../../support/runs.ts';
import { subscribed } from '../../support/subscriptions.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { useClientServers } from './client-servers.ts';
import { cellsOf, openCtl } from './ctl.ts';
import { FIRST, OLD } from './subjects.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);

feature('lists agents', async (run) => {
  const { ctl, server } = await servers.open(run);
  const { id } = await registerExisting(server, ['windows', run.id], {
    metadata: { name: run.id },
  });
  const { code, lines } = await ctl.run('get', 'agents');
  expect(cellsOf(lines[0])).toEqual([
    ...['AGENT_ID', 'NAME', 'NAMESPACES', 'TAGS', 'REGISTRATION_TIMESTAMP'],
    ...['LAST_SEEN_TIMESTAMP', 'RUNNING_JOB'],
  ]);
  const tags = OLD.includes(run.subject) ? `windows:${run.id}` : `["windows", "${run.id}"]`;
  const rows = lines.map((line) => cellsOf(line).slice(0, 4));
  expect(rows).toContainEqual([id, run.id, 'default', tags]);
  expect(code).toBe(0);
});

feature('de-registers an agent', async (run) => {
  const { ctl, server } = await servers.open(run);
  const { id } = await registerExisting(server, ['windows', run.id]);
  const { code, stdout } = await ctl.run('delete', 'agent', id);
  expect(stdout).toContain(id);
  expect(code).toBe(0);
  expect(await listed(server, id)).toBeNull();
  expect((await ctl.run('delete', 'agent', id)).code).toBe(1);
});

feature('lists selected agents, and de-registers busy ones by force', async (run) => {
  const { ctl, server } = await servers.open(run);
  const named = { metadata: { name: run.id } };
  const busy = await registerExisting(server, ['linux', run.id], named);
  const idle = await registerExisting(server, ['windows', run.id], named);
  const workflow = await start(
    server,
    oneJob('busy', [createGate(servers.bench).step], { 'runs-on': ['linux', run.id] }),
  );
  await eventually('a busy agent', async () => (await phaseOf(server, busy.id)) === 'BUSY');
  const list = async (selector: string) =>
    (await ctl.run('get', 'agents', '--field-selector', selector)).lines
      .slice(1)
      .map((line) => cellsOf(line)[0]);
  expect(await list(`metadata.name==${run.id},status.phase==BUSY`)).toEqual([busy.id]);
  expect(await list(`(windows) in spec.tags,metadata.name==${run.id}`)).toEqual([idle.id]);
  const words = ['--field-selector', `metadata.name==${run.id}`, '--force'];
  expect((await ctl.run('delete', 'agent', ...words)).code).toBe(0);
  expect([await listed(server, busy.id), await listed(server, idle.id)]).toEqual([null, null]);
  expect(await ended(server, workflow)).toBe('FAILED');
});

feature('lists channels', async (run) => {
  const { ctl, server } = await servers.open(run);
  await registerExisting(server, ['windows', run.id], { metadata: { name: run.id } });
  const { code, lines } = await ctl.run('get', 'channels');
  const row = lines.map(cellsOf).find(([name]) => name === run.id);
  const tags = OLD.includes(run.subject) ? `windows:${run.id}` : `["windows", "${run.id}"]`;
  expect([row?.[1], row?.[2], row?.[4]]).toEqual(['default', tags, 'IDLE']);
  expect(code).toBe(0);
});

feature('lists the channels that are selected', async (run) => {
  const { ctl, server } = await servers.open(run);
  await registerExisting(server, ['windows', run.id], { metadata: { name: run.id } });
  const words = ['--field-selector', `(${run.id}) in spec.tags,status.phase!=BUSY`, '-o', 'wide'];
  const { lines } = await ctl.run('get', 'channels', ...words);
  expect(cellsOf(lines[0])[0]).toBe('HANDLER_ID');
  expect(lines.slice(1).map((line) => cellsOf(line)[1])).toEqual([run.id]);
});

feature('lists namespaces', async (run) => {
  const { ctl } = await servers.open(run);
  for (const words of [[], ['-l', 'resource==workflows,verb==create']]) {
    const { code, lines } = await ctl.run('get', 'namespaces', ...words);
    expect([code, lines]).toEqual([0, ['NAMESPACE', '*']]);
  }
});

feature('lists subscriptions', async (run) => {
  const { ctl } = await servers.open(run);
  const { code, lines } = await ctl.run('get', 'subscriptions');
  const names = lines.map((line) => cellsOf(line)[0]);
  expect(names).toEqual(expect.arrayContaining(['arranger', 'observer', 'agentchannel']));
  expect(names[0]).toBe(run.subject === FIRST ? 'name' : 'NAME');
  expect(code).toBe(0);
});

feature('lists the subscriptions that are selected, and cancels them', async (run) => {
  const { ctl, server } = await servers.open(run);
  const made = await server.call('POST', '/subscriptions', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: run.id, creationTimestamp: '2026-01-02T03:04:05' },
      spec: {
        selector: { matchKind: 'Nothing' },
        subscriber: { endpoint: 'http://127.0.0.1:9/inbox' },
      },
    },
  });
  const id = String(detailsOf(made).uuid);
  const select = ['--field-selector', `metadata.name==${run.id}`, '-o', 'wide'];
  const { lines } = await ctl.run('get', 'subscriptions', ...select);
  expect(lines.slice(1).map((line) => cellsOf(line).slice(0, 3))).toEqual([
    [id, run.id, 'http://127.0.0.1:9/inbox'],
  ]);
  const canceled = await ctl.run('delete', 'subscription', id);
  expect([canceled.code, canceled.lines]).toEqual([0, [`Subscription ${id} canceled.`]]);
  expect(bodyOf(await server.call('GET', '/subscriptions')).items).not.toHaveProperty(id);
  expect((await ctl.run('delete', 'subscription', id)).code).toBe(1);
});

feature('cancels all subscriptions, of which those of the server itself stay', async (run) => {
  const server = await servers.bench.server();
  run.context.onTestFinished(() => server.child.kill('SIGTERM'));
  const ctl = await openCtl(servers.bench, server, run);
  const endpoints = async () => {
    const { items } = bodyOf(await server.call('GET', '/subscriptions'));
    return Object.values(Object(items)).map((item) => Object(item).spec.subscriber.endpoint);
  };
  const before = await endpoints();
  const ids: string[] = [];
  // The second one twice, as a plugin that runs as two instances.
  for (const name of ['one', 'two', 'two']) {
    ids.push(await subscribed(server, 'http://127.0.0.1:9/inbox', { name }));
  }
  const { code, lines } = await ctl.run('delete', 'subscription', '--all');
  expect(lines).toEqual(expect.arrayContaining(ids.map((id) => `Subscription ${id} canceled.`)));
  const kept = lines.filter((line) =>
    /^Subscription \S+ belongs to the built-in service \S+ and is kept\.$/.test(line),
  );
  expect([kept.length, lines.length]).toEqual([before.length, before.length + ids.length]);
  expect(code).toBe(0);
  expect(await endpoints()).toEqual(before);
});

feature('tells the versions of the components of the server', async (run) => {
  const { ctl } = await servers.open(run);
  const { code, lines } = await ctl.run('version');
  expect(lines).toContain('Components of tutti image:');
  expect(lines.some((line) => /^ +@tutti\/server: \d/.test(line))).toBe(true);
  expect(code).toBe(0);
  const debug = await ctl.run('version', '--debug');
  expect(debug.stdout).toContain('"name": "@tutti/server"');
});

feature('completes commands, options and ids', async (run) => {
  const { ctl, server } = await servers.open(run);
  const script = await ctl.run('completion', 'bash');
  expect(script.stdout).toContain('complete -F');
  const module = /python3 (\S+ctlcompletion\.py)/.exec(script.stdout)?.[1] ?? '';
  const id = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  const complete = async (...words: readonly string[]) =>
    (await ctl.module(module, ...words)).stdout.trim().split(' ');
  expect(await complete('get', 'wo', 'wo')).toEqual(['workflows', 'workflow']);
  expect(await complete('get', 'workflow', id.slice(0, 4), id.slice(0, 4))).toContain(id);
  expect(await complete('get', 'workflow', '--w', '--w')).toEqual(['--watch']);
});
