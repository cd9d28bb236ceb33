/** Jobs of several namespaces on one agent. Processes are looked at as Linux shows them. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ended, logged, logTexts, oneJob, sh, start } from '../support/runs.ts';
import { type AgentOptions, type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');

async function openWorld(options: Partial<AgentOptions> = {}) {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  // The users of jobs go through it to their workspaces.
  chmodSync(bench.folder, 0o711);
  const server = await bench.server();
  const agent = await bench.agent(server, { tags: ['linux'], namespaces: '*', ...options });
  return { bench, server, agent };
}

/** The processes with a word in their arguments, and not in what they read. */
function processesWith(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => argumentsOf(name).includes(word))
    .map(Number);
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

const DAEMON = `#!/bin/sh
trap '' HUP INT TERM
cd /
while :; do sleep 0.05; done
`;

/** Starts itself again, in another session, and ends. */
const HOPPER = `#!/bin/sh
trap '' HUP INT TERM
cd /
setsid /bin/sh "$0" "$1" < /dev/null > /dev/null 2>&1 &
sleep 0.02
`;

interface Left {
  readonly word: string;
  readonly script: string;
}

/** A script that starts what outlives it, in a session of its own, without a variable, a pipe or a parent. */
function leave(bench: Workbench, kinds: Readonly<Record<string, string>>): Left {
  const word = `left-${process.pid}-${process.hrtime.bigint()}`;
  onTestFinished(async () => void (await endAll(word)));
  const lines = Object.entries(kinds).flatMap(([name, text]) => {
    const file = bench.path(name);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    const daemon = `env -i PATH="$PATH" setsid /bin/sh ${file} ${word}`;
    return [`( ( ${daemon} < /dev/null > /dev/null 2>&1 & ) & )`];
  });
  return { word, script: `${lines.join('\n')}\necho started` };
}

/** What is left where the bound does not hold. */
const endAll = (word: string) =>
  eventually('the end of what was left', () => {
    const left = processesWith(word);
    for (const pid of left) tryToKill(pid);
    return left.length === 0;
  });

function tryToKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

async function expectNothingLeft(world: Awaited<ReturnType<typeof openWorld>>, left: Left) {
  const { server } = world;
  const gate = world.bench.path('gate');
  const first = sh(`${left.script}; until [ -e ${gate} ]; do sleep 0.05; done`);
  const id = await start(server, oneJob('leaves', [first, sh('true')]));
  await eventually('processes that leave their job', () => processesWith(left.word).length > 0);
  writeFileSync(gate, '');
  expect(await ended(server, id)).toBe('DONE');
  expect(processesWith(left.word)).toEqual([]);
  const next = oneJob('next', [sh('echo here')]);
  expect(await ended(server, await start(server, next))).toBe('DONE');
  expect(processesWith(left.word)).toEqual([]);
}

function skip(why: string): void {
  process.stdout.write(`SKIPPED: ${why}\n`);
}

attack('job-outlived', async () => {
  const world = await openWorld();
  // A process that starts itself again and again may slip through between two looks: only a cgroup or a user is exact.
  await expectNothingLeft(world, leave(world.bench, { daemon: DAEMON, another: DAEMON }));
});

attack('job-outlived-cgroup', async () => {
  const world = await openWorld({ ownsProcess: true });
  const { pid } = world.agent.child;
  if (!readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`tutti-agent-${pid}-`)) {
    skip('there is no cgroup that an agent may use here.');
    return;
  }
  const storm = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`h${index}`, HOPPER]));
  await expectNothingLeft(world, leave(world.bench, { daemon: DAEMON, ...storm }));
});

attack('job-outlived-registration', async () => {
  const world = await openWorld();
  const { server, agent, bench } = world;
  const left = leave(bench, { daemon: DAEMON });
  const id = await start(server, oneJob('leaves', [sh(`${left.script}; sleep 300`)]));
  await logged(server, id, 'started');
  await agent.child.kill('SIGTERM');
  expect(processesWith(left.word)).toEqual([]);
});

attack('job-scripts', async () => {
  const { server, agent } = await openWorld();
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

const USERS = { first: 1_999_990_000, last: 1_999_990_019 };

attack('job-users', async () => {
  if (process.getuid?.() !== 0) {
    skip('only root may give each job a user.');
    return;
  }
  const world = await openWorld({ userPerJob: USERS });
  const { server, bench, agent } = world;
  const token = join(bench.folder, 'agent.token');
  writeFileSync(token, 'the-token', { mode: 0o600 });
  const foreign = bench.path('foreign');
  mkdirSync(foreign, { mode: 0o755 });
  const temporary = `/tmp/left-${process.hrtime.bigint()}`;
  const steps = [
    sh('echo "user=$(id -u) group=$(id -G) home=$HOME"; : > "$HOME/mine"; : > "$TMPDIR/mine"'),
    sh(`cat ${token} && exit 9; cat /proc/${agent.child.pid}/environ && exit 9; true`),
    sh(`echo x > ${foreign}/file && exit 9; kill -0 ${agent.child.pid} && exit 9; true`),
    sh(
      `touch ${temporary}; echo "V=1" >> "$OPENTF_VARIABLES"; echo made > made.txt; echo "::attach::$PWD/made.txt"`,
    ),
    sh('test "$V" = 1'),
  ];
  const seen: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const id = await start(server, oneJob('user', steps));
    expect(await ended(server, id)).toBe('DONE');
    const text = (await logTexts(server, id)).find((line) => line.startsWith('user='));
    seen.push(text ?? '');
    const [, uid = '', gid = '', home = ''] =
      /^user=(\d+) group=(\d+) home=(.*)$/.exec(text ?? '') ?? [];
    expect(gid).toBe(uid);
    expect(Number(uid) >= USERS.first && Number(uid) <= USERS.last).toBe(true);
    expect(existsSync(home)).toBe(false);
    expect(existsSync(temporary)).toBe(false);
  }
  expect(seen[0]).not.toBe(seen[1]);
  await expectNothingLeft(world, leave(bench, { daemon: DAEMON, hopper: HOPPER }));
  expect(readdirSync(agent.workspaceDir)).toEqual([]);
  await refusesLinks(server, token);
});

/** The agent may read everything; its jobs may not have it do so. */
async function refusesLinks(server: ServerChild, token: string): Promise<void> {
  const steps = [
    sh(`ln -s ${token} link; echo "::attach::link"`),
    sh(`rm -f "$OPENTF_VARIABLES"; ln -s ${token} "$OPENTF_VARIABLES" || true`, { if: 'always()' }),
  ];
  const id = await start(server, oneJob('links', steps));
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).not.toContain('the-token');
}
