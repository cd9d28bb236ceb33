/** Jobs of several namespaces on one agent. Processes are looked at as Linux shows them. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ended, logged, logTexts, oneJob, sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';
import {
  DAEMON,
  expectNothingLeft,
  HOPPER,
  type JobWorld,
  leave,
  openWorld,
  processesWith,
  skip,
} from './job-world.ts';

/** One of them slips through between two looks. More of them would only take the processor from the tests beside. */
const STORM = { one: HOPPER, two: HOPPER, three: HOPPER };

/** Closed after the test. */
async function openOwnWorld(options?: Parameters<typeof openWorld>[0]): Promise<JobWorld> {
  const world = await openWorld(options);
  onTestFinished(() => world.bench.close());
  return world;
}

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');

attack('job-outlived', async () => {
  const world = await openOwnWorld();
  // A process that starts itself again and again may slip through between two looks. Only a cgroup or a user is exact.
  await expectNothingLeft(world, leave(world.bench, { daemon: DAEMON, another: DAEMON }));
});

function hasCgroup({ agent: { child } }: JobWorld): boolean {
  const cgroups = readFileSync(`/proc/${child.pid}/cgroup`, 'utf8');
  if (cgroups.includes(`tutti-agent-${child.pid}-`)) return true;
  skip('there is no cgroup that an agent may use here.');
  return false;
}

attack('job-outlived-cgroup', async () => {
  const world = await openOwnWorld({ ownsProcess: true });
  if (!hasCgroup(world)) return;
  await expectNothingLeft(world, leave(world.bench, { daemon: DAEMON, ...STORM }));
});

/** Begins a job on another slot. It goes on until the returned function is called, and must end well. */
async function occupySlot({ bench, server }: JobWorld): Promise<() => Promise<void>> {
  const gate = bench.path('other');
  const wait = `echo other began; until [ -e ${gate} ]; do sleep 0.05; done; echo other over`;
  const id = await start(server, oneJob('other', [sh(wait), sh('echo the next step')]));
  await logged(server, id, 'other began');
  return async () => {
    writeFileSync(gate, '');
    expect(await ended(server, id)).toBe('DONE');
    expect(await logTexts(server, id)).toEqual(
      expect.arrayContaining(['other over', 'the next step']),
    );
  };
}

attack('job-slots', async () => {
  const world = await openOwnWorld({ slots: 2 });
  const endOther = await occupySlot(world);
  await expectNothingLeft(world, leave(world.bench, { daemon: DAEMON, another: DAEMON }));
  await endOther();
});

attack('job-slots-cgroup', async () => {
  const world = await openOwnWorld({ slots: 2, ownsProcess: true });
  if (!hasCgroup(world)) return;
  const { server, bench } = world;
  const endOther = await occupySlot(world);
  const left = leave(bench, { daemon: DAEMON, ...STORM });
  const id = await start(server, oneJob('leaves', [sh(left.script)]));
  expect(await ended(server, id)).toBe('DONE');
  await endOther();
  const next = await start(server, oneJob('next', [sh('echo here')]));
  expect(await ended(server, next)).toBe('DONE');
  expect(processesWith(left.word)).toEqual([]);
});

/** Tools for containers and virtual machines change cgroups in this way, too. */
const CHANGE_CGROUP = `at=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .* - cgroup2 .*/\\1/p' /proc/self/mountinfo | head -n 1)
own=$at$(sed -n 's/^0:://p' /proc/self/cgroup)
mkdir "$own/threads"; echo threaded > "$own/threads/cgroup.type"`;

attack('job-cgroup-changed', async () => {
  const world = await openOwnWorld({ ownsProcess: true });
  if (!hasCgroup(world)) return;
  const left = leave(world.bench, { daemon: DAEMON });
  await expectNothingLeft(world, { ...left, script: `${CHANGE_CGROUP}; ${left.script}` });
  expect(hasCgroup(world)).toBe(true);
});

attack('job-outlived-registration', async () => {
  const world = await openOwnWorld();
  const { server, agent, bench } = world;
  const left = leave(bench, { daemon: DAEMON });
  const id = await start(server, oneJob('leaves', [sh(`${left.script}; sleep 300`)]));
  await logged(server, id, 'started');
  await agent.child.kill('SIGTERM');
  expect(processesWith(left.word)).toEqual([]);
});

attack('job-scripts', async () => {
  const { server, agent } = await openOwnWorld();
  const list = 'echo; (cd .. && stat -c "%a %n" *); echo "::set-output name=a::b"';
  const id = await start(server, oneJob('lists', [sh(`umask 0; ${list}`), sh(list)]));
  expect(await ended(server, id)).toBe('DONE');
  const files = (await logTexts(server, id)).filter((text) => /^\d+ /.test(text));
  const of = (suffix: RegExp) => files.filter((text) => suffix.test(text));
  // Each step sees its own script and none of another one.
  expect(of(/_0\.sh$/)).toHaveLength(1);
  expect(of(/_1\.sh$/)).toHaveLength(1);
  expect(of(/\.sh$/).every((text) => text.startsWith('600 '))).toBe(true);
  expect(of(/ [0-9a-f-]{36}$/).map((text) => text.slice(0, 4))).toEqual(['700 ', '700 ']);
  expect(readdirSync(agent.workspaceDir)).toEqual([]);
});

attack('job-token', async () => {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  const server = await bench.server();
  const started = spawn(
    process.execPath,
    [TUTTI, 'agent', '--server', server.url, '--tags', 'linux', '--token', server.token],
    {
      env: { ...process.env, TUTTI_TOKEN: server.token },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  onTestFinished(() => void started.kill('SIGKILL'));
  const look = `p=$PPID; until [ "$p" -le 1 ]; do
    [ "$p" = ${started.pid} ] && echo "the agent is ${started.pid}"
    tr '\\0' '\\n' < /proc/$p/environ | (grep -c -F "$WANTED" || true) | sed 's/^/environment: /'
    tr '\\0' '\\n' < /proc/$p/cmdline | (grep -c -F "$WANTED" || true) | sed 's/^/arguments: /'
    [ "$p" = ${started.pid} ] && exit 0
    p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status)
  done`;
  // Half of it is enough to find it, and is not masked in the log.
  const variables = { WANTED: server.token.slice(-40) };
  const id = await start(server, { ...oneJob('looks', [sh(look)]), variables });
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toContain(`the agent is ${started.pid}`);
  const counts = texts.filter((text) => /^(environment|arguments): /.test(text));
  expect(counts.at(-2)).toBe('environment: 0');
  expect(counts.at(-1)).toBe('arguments: 0');
});
