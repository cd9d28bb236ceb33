/** Jobs that run as users of their own, on an agent of root. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { observeRun } from '../support/observed-run.ts';
import { ended, logged, logTexts, type Manifest, oneJob, sh, start } from '../support/runs.ts';
import type { ServerChild } from '../support/workbench.ts';
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

const USERS = { first: 1_999_990_000, last: 1_999_990_019 };
const SLOT_USERS = { first: 1_999_990_020, last: 1_999_990_029 };
const ONE_USER = { first: 1_999_990_030, last: 1_999_990_030 };

const isRoot = process.getuid?.() === 0;

let world: JobWorld;

beforeAll(async () => {
  if (isRoot) world = await openWorld({ userPerJob: USERS });
  else skip('only root may give each job a user.');
});

afterAll(() => world?.bench.close());

attack('job-users', async () => {
  if (!isRoot) return;
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
      `touch ${temporary} "$(printf '${temporary}-\\377')"; ipcmk -M 4096 > /dev/null; echo "V=1" >> "$OPENTF_VARIABLES"; echo made > made.txt; echo "::attach::$PWD/made.txt"`,
    ),
    sh('test "$V" = 1; echo "::upload::made.txt"'),
    sh('echo "::download file=made.txt::deep/er/"'),
    sh('cat deep/er/made.txt; echo mine > deep/er/mine'),
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
    expect(readdirSync('/tmp').filter((name) => name.startsWith(basename(temporary)))).toEqual([]);
    expect(readFileSync('/proc/sysvipc/shm', 'utf8')).not.toContain(` ${uid} `);
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

/** A directory of root with a file that everybody might read who may enter it. */
function makePrivate(path: string, mode: number): string {
  mkdirSync(path);
  writeFileSync(join(path, 'settings'), 'the-settings', { mode: 0o644 });
  chmodSync(path, mode);
  return path;
}

const logOf = async (server: ServerChild, id: string) => (await logTexts(server, id)).join('\n');

/** In a mount namespace of its own a job has any directory at the path of its workspace. */
const MOUNTS = `unshare -Urm sh -c 'mount --rbind / "$PWD" && : > "$HOME/mounted" && sleep 60' & echo $! > "$HOME/pid"
until [ -e "$HOME/mounted" ]; do sleep 0.05; done; there="/proc/$(cat "$HOME/pid")/root$PWD"`;

function mayMount(): boolean {
  const { first } = USERS;
  const args = ['-Urm', 'mount', '--rbind', '/', '/tmp'];
  if (spawnSync('unshare', args, { uid: first, gid: first }).status === 0) return true;
  skip('users may make no mount namespaces here.');
  return false;
}

attack('job-user-files', async () => {
  if (!isRoot) return;
  const { server, bench } = world;
  const secret = makePrivate(bench.path('private'), 0o700);
  const shared = makePrivate(bench.path('shared'), 0o755);
  const upload = sh('echo made > "$HOME/made"; echo "::upload::$HOME/made"');
  const expectRefused = async (manifest: Manifest) => {
    const id = await start(server, manifest);
    expect(await ended(server, id)).toBe('FAILED');
    expect(Object.values((await observeRun(server, id)).files).join()).not.toContain('settings');
    expect(await logOf(server, id)).toMatch(/Failed to (?:fetch|download) file/);
    expect(readdirSync(shared)).toEqual(['settings']);
  };
  const chosen = (steps: readonly Manifest[]) => ({
    ...oneJob('chooses', steps),
    hooks: [
      { name: 'there', events: [{ channel: 'setup' }], before: [{ 'use-workspace': shared }] },
    ],
  });
  for (const target of ['', 'made', 'new/made']) {
    await expectRefused(chosen([upload, sh(`echo "::download file=made::${target}"`)]));
  }
  if (!mayMount()) return;
  for (const directory of [secret, shared]) {
    const attach = `${MOUNTS}; echo "::attach::$there${directory}/settings"`;
    const download = `${MOUNTS}; echo "::download file=made::$there${directory}/made"`;
    await expectRefused(oneJob('reads', [sh(attach)]));
    await expectRefused(oneJob('writes', [upload, sh(download)]));
  }
});

attack('job-user-program', async () => {
  if (!isRoot) return;
  const { server, bench } = world;
  const open = bench.path('open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const whoIs = `${open}/who`;
  const leaves = sh(`cp "$(command -v id)" ${whoIs}; chmod 4755 ${whoIs}`);
  expect(await ended(server, await start(server, oneJob('leaves', [leaves])))).toBe('DONE');
  const id = await start(server, oneJob('becomes', [sh(`id -u; ${whoIs} -u`)]));
  expect(await ended(server, id)).toBe('DONE');
  const users = (await logTexts(server, id)).filter((text) => /^\d+$/.test(text));
  expect(users).toHaveLength(2);
  expect(users[1]).toBe(users[0]);
});

/** Signals all other processes of its user once the shell of the step has ended. It goes on as another process at once. */
const SIGNALER = `use POSIX (); my (undef, $shell, $signal) = @ARGV; $SIG{TERM} = "IGNORE";
1 while -d "/proc/$shell";
for (;;) { kill($signal, -1) for 1 .. 3; POSIX::_exit(0) if fork; }`;

attack('job-user-stops', async () => {
  if (!isRoot) return;
  const { server } = world;
  for (const signal of ['STOP', 'KILL']) {
    const word = `signaler-${process.hrtime.bigint()}`;
    const leaves = `( setsid perl -e '${SIGNALER}' ${word} $$ ${signal} < /dev/null > /dev/null 2>&1 & )`;
    const id = await start(server, oneJob('stops', [sh(leaves), sh('sleep 300')]));
    await logged(server, id, 'Running command: sleep 300');
    await server.call('DELETE', `/workflows/${id}`);
    expect(await ended(server, id)).toBe('FAILED');
    // One look may miss a process that goes on as another one.
    expect(Array.from({ length: 50 }, () => processesWith(word)).flat()).toEqual([]);
    const next = await start(server, oneJob('next', [sh('true')]));
    expect(await ended(server, next)).toBe('DONE');
  }
});

/** Numbers of the system calls `add_key` and `keyctl`. */
const KEY_CALLS: Partial<Record<NodeJS.Architecture, readonly [add: number, control: number]>> = {
  x64: [248, 250],
  arm64: [217, 219],
};

attack('job-user-keys', async () => {
  const calls = KEY_CALLS[process.arch];
  if (!isRoot || calls === undefined) return;
  if (!existsSync('/proc/key-users')) return skip('the system has no keys.');
  const { server, bench } = world;
  // Keys stay until the machine is started anew: each run of the test has users of its own.
  const first = 1_998_000_000 + 2 * process.pid;
  const userPerJob = { first, last: first + 1 };
  await bench.agent(server, { tags: ['linux', 'keys'], namespaces: '*', userPerJob });
  const [search, userRing] = [10, -4];
  const look = `my @key = ("user", "kept", "secret"); print syscall(${calls[1]}, ${search}, ${userRing}, @key[0, 1], 0) > 0 ? "found" : "none"`;
  const keep = `syscall(${calls[0]}, @key, 6, ${userRing})`;
  const looked: string[] = [];
  // Looking makes keyrings, too: with two users, the third job would get none.
  for (const script of [`${look}; ${keep}`, '', look]) {
    const job = oneJob('keys', [sh(`perl -e '${script}'`)], { 'runs-on': 'keys' });
    const id = await start(server, job);
    expect(await ended(server, id)).toBe('DONE');
    looked.push(...(await logTexts(server, id)).filter((text) => /^(?:found|none)$/.test(text)));
  }
  expect(looked).toEqual(['none', 'none']);
});

attack('job-user-killed', async () => {
  if (!isRoot) return;
  const { server, bench } = world;
  const agentOf = (tag: string) =>
    bench.agent(server, { tags: ['linux', tag], namespaces: '*', userPerJob: ONE_USER });
  const agent = await agentOf('killed');
  const left = leave(bench, { daemon: DAEMON });
  const temporary = `/tmp/left-${process.hrtime.bigint()}`;
  const first = await start(
    server,
    oneJob('leaves', [sh(`: > ${temporary}; ${left.script}; sleep 300`)], { 'runs-on': 'killed' }),
  );
  await logged(server, first, 'started');
  await eventually('a process that is left', () => processesWith(left.word).length > 0);
  await agent.child.kill('SIGKILL');
  await agentOf('another');
  const gate = bench.path('gate');
  const waits = sh(`id -u; until [ -e ${gate} ]; do sleep 0.05; done`);
  const id = await start(server, oneJob('next', [waits], { 'runs-on': 'another' }));
  await logged(server, id, String(ONE_USER.first));
  expect(processesWith(left.word)).toEqual([]);
  expect(existsSync(temporary)).toBe(false);
  writeFileSync(gate, '');
  expect(await ended(server, id)).toBe('DONE');
});

attack('job-slots-users', async () => {
  if (!isRoot) return;
  const slotted = await openWorld({ userPerJob: SLOT_USERS, slots: 2 });
  onTestFinished(() => slotted.bench.close());
  const { server, bench } = slotted;
  const gate = bench.path('gate');
  const wait = `echo mine > mine; sleep 300 & echo "at=$PWD pid=$!"; until [ -e ${gate} ]; do sleep 0.05; done; kill -0 $!; cat mine`;
  const other = await start(server, oneJob('other', [sh(wait)]));
  const texts = () => logTexts(server, other);
  const place = await eventually('the other job', async () =>
    (await texts()).find((text) => text.startsWith('at=/')),
  );
  const [, at = '', pid = ''] = /at=(\S+) pid=(\d+)/.exec(place) ?? [];
  const steps = [
    sh(`cat ${at}/mine && exit 9; echo x > ${at}/mine && exit 9; kill ${pid} && exit 9; true`),
    sh(`ls ${at} && exit 9; echo "user=$(id -u)"`),
  ];
  const id = await start(server, oneJob('foreign', steps));
  expect(await ended(server, id)).toBe('DONE');
  writeFileSync(gate, '');
  expect(await ended(server, other)).toBe('DONE');
  expect(await texts()).toContain('mine');
});
