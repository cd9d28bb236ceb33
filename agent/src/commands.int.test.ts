import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { WAITING_BYTES_MAX } from './limits.ts';
import { eventually, isAlive, openAgent, present } from './testing/agent-fixture.ts';
import type { PostFate } from './testing/scripted-server.ts';

test.each([
  ['exit 0', 0],
  ['exit 3', 3],
  ['exit 255', 255],
  ['nosuchcommand', 127],
  ['kill -KILL $$', 137],
  ['kill -TERM $$', 143],
])('%s has the exit status %i', async (script, exitStatus) => {
  const { run, resultOf } = await openAgent();
  // By `exec`, as otherwise the shell around it turns a signal into a status.
  run('j/0', script, { command: 'exec sh ./j_0.sh' });
  expect(await resultOf('j/0')).toEqual({ exit_status: exitStatus, variables: null });
});

test('a command runs in the workspace, without input and without the tokens of the agent', async () => {
  const { folder, server, run, resultOf } = await openAgent({
    environment: { PATH: process.env.PATH, TUTTI_TOKEN: 'secret', SEEN: 'yes' },
  });
  run('j/0', 'pwd; cat; echo "[$TUTTI_TOKEN] [$SEEN]"');
  await resultOf('j/0');
  expect(server.linesOf('j/0')).toEqual([folder, '[] [yes]']);
});

test('the first line arrives while the command still runs', async () => {
  const { server, folder, run, resultOf, lineOf } = await openAgent();
  run('j/0', `echo first; until [ -e "${folder}/go" ]; do sleep 0.01; done; echo second`);
  await lineOf('j/0', 'first');
  expect(server.resultOf('j/0')).toBe(null);
  expect(server.polls.at(-1)).toMatchObject({ last: 'j/0', running: 'j/0' });
  await writeFile(`${folder}/go`, '');
  await resultOf('j/0');
  expect(server.linesOf('j/0')).toEqual(['first', 'second']);
});

test('both streams arrive, also a last line without an end', async () => {
  const { server, run, resultOf } = await openAgent();
  run('j/0', String.raw`printf 'a\r\nb\303\251\377\nc'; printf 'd\ne' >&2`);
  await resultOf('j/0');
  expect(server.linesOf('j/0')).toEqual(['a', 'bé\\xff', 'c']);
  expect(server.linesOf('j/0', 'stderr')).toEqual(['d', 'e']);
});

test('a server that takes bytes gets all output in its order', async () => {
  const { server, run, resultOf } = await openAgent();
  const script = String.raw`printf 'a\303\251\r\n\n\377\n'; seq 100000; printf 'x%.0s' $(seq 70000); echo; printf end`;
  run('j/0', script, { output_bytes: true, batches_under_way: 3 });
  await resultOf('j/0');
  const lines = server.linesOf('j/0');
  expect(lines.slice(0, 3)).toEqual(['aé', '', '\\xff']);
  const numbers = Array.from({ length: 100_000 }, (_, index) => String(index + 1));
  expect(lines.slice(3, -3)).toEqual(numbers);
  expect(lines.slice(-3)).toEqual(['x'.repeat(65_536), 'x'.repeat(4_464), 'end']);
});

test('output is read in the encoding that the agent was given, and registered with', async () => {
  const { server, run, resultOf } = await openAgent({ encoding: 'windows-1252' });
  run('j/0', String.raw`printf '\351\200\n'; printf '\374' >&2`);
  await resultOf('j/0');
  expect(server.linesOf('j/0')).toEqual(['é€']);
  expect(server.linesOf('j/0', 'stderr')).toEqual(['ü']);
  expect(server.registrations.at(-1)).toMatchObject({ spec: { encoding: 'windows-1252' } });
});

test('bytes without a line end or a meaning come in lines that are not too long', async () => {
  const { server, run, resultOf } = await openAgent();
  run('j/0', "head -c 200000 /dev/zero | tr '\\0' '\\377'; printf '\\0\\033[1m'");
  await resultOf('j/0');
  const lines = server.linesOf('j/0');
  expect(lines.join('')).toBe(`${'\\xff'.repeat(200_000)}\0\u001b[1m`);
  for (const { length } of lines) expect(length).toBeLessThanOrEqual(64 * 1024);
});

test('the lines of the variables file come with the result', async () => {
  const { run, resultOf } = await openAgent();
  run('j/0', 'echo "export A=1" > "my vars"; echo "export B=2" >> "my vars"', {
    variables_path: 'my vars',
  });
  expect(await resultOf('j/0')).toMatchObject({ variables: ['export A=1', 'export B=2'] });
  run('j/1', 'rm "my vars"', { variables_path: 'my vars' });
  expect(await resultOf('j/1')).toEqual({ exit_status: 0, variables: null });
});

test('words are run as they are, without a shell that reads them', async () => {
  const { folder, server, run, resultOf } = await openAgent();
  run('j/0', 'echo "$1"', { words: ['sh', `${folder}/j_0.sh`, '$HOME "a"  b'], command: 'exit 9' });
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 0 });
  expect(server.linesOf('j/0')).toEqual(['$HOME "a"  b']);
  run('j/1', '', { words: ['/no/such/program'] });
  expect((await resultOf('j/1')).exit_status).not.toBe(0);
  expect(server.linesOf('j/1', 'stderr')[0]).toContain('/no/such/program');
});

const REMOVAL = { directory: 'j', prefix: 'j_', suffix: '.sh' };

test('leftovers of a job are removed without a shell, and nothing else', async () => {
  const { folder, server, run, resultOf } = await openAgent();
  run(
    'j/0',
    'mkdir -p j/a/b k; echo > j/a/b/file; ln -s ../k j/link; echo > k/file; echo > j_v.sh; echo > jo.sh',
  );
  await resultOf('j/0');
  run('j/-2', 'echo the shell; exit 9', { removal: REMOVAL });
  expect(await resultOf('j/-2')).toEqual({ exit_status: 0, variables: null });
  expect(server.linesOf('j/-2')).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(['jo.sh', 'k']);
  expect(readdirSync(path.join(folder, 'k'))).toEqual(['file']);
});

test('a job without leftovers is no failure', async () => {
  const { run, resultOf } = await openAgent();
  run('j/-2', 'exit 9', { removal: REMOVAL });
  expect(await resultOf('j/-2')).toEqual({ exit_status: 0, variables: null });
});

test('if a file cannot be removed, the script runs and reports why', async () => {
  const { folder, server, run, resultOf } = await openAgent();
  // The directory of scripts is missing, so the files to remove cannot be listed.
  await rm(folder, { recursive: true });
  run('j/-2', 'echo why; exit 9', { removal: REMOVAL });
  expect(await resultOf('j/-2')).toEqual({ exit_status: 9, variables: null });
  expect(server.linesOf('j/-2')).toEqual(['why']);
});

test.each([
  ['leaves nothing', 'true', true],
  ['leaves files', 'mkdir j; echo > j/file; echo > j_v.sh; echo > jo.sh', true],
  ['fails', 'exit 3', true],
  ['leaves directories', 'mkdir -p j/inner', undefined],
  ['leaves many files', 'mkdir j; cd j; for i in $(seq 33); do echo > $i; done', undefined],
  ['leaves a process', '(sleep 100 &) > /dev/null 2>&1', undefined],
  ['asks for a file', 'echo "::attach::file"', undefined],
  ['prints very much', 'yes | head -n 2000', undefined],
])('a last command that %s', async (_, script, released) => {
  const { folder, server, run, resultOf } = await openAgent();
  run('j/0', script, { release: REMOVAL });
  await resultOf('j/0');
  expect(server.batches.at(-1)?.released).toBe(released);
  if (released) expect(readdirSync(folder).filter((name) => /^j(_|$)/.test(name))).toEqual([]);
  run('j/-2', 'exit 9', { removal: REMOVAL });
  expect(await resultOf('j/-2')).toEqual({ exit_status: 0, variables: null });
});

test('one command after the other, each in a process of its own that was made ready or not', async () => {
  const { folder, server, run, resultOf } = await openAgent();
  for (const sequence of [0, 1, 2, 3]) {
    const id = `j/${sequence}`;
    run(id, `echo $$ "$0" "$#"; exit ${sequence}`, {
      words: ['sh', `${folder}/j_${sequence}.sh`],
    });
    expect(await resultOf(id)).toEqual({ exit_status: sequence, variables: null });
    const script = `${folder}/j_${sequence}.sh`;
    expect(server.linesOf(id)).toEqual([expect.stringMatching(/^\d+ /)]);
    expect(server.linesOf(id)[0]?.replace(/^\d+ /, '')).toBe(`${script} 0`);
  }
  const pids = [0, 1, 2, 3].map((sequence) => server.linesOf(`j/${sequence}`)[0]?.split(' ')[0]);
  expect(new Set(pids).size).toBe(4);
});

test('a script that cannot be written fails the command and says why', async () => {
  const { server, run, resultOf } = await openAgent();
  run('j/0', 'true', { filename: '/dev/null/j_0.sh' });
  expect(await resultOf('j/0')).toEqual({ exit_status: 2, variables: null });
  expect(server.linesOf('j/0', 'stderr')[0]).toContain('The agent could not run the command');
});

test('canceling ends a command with its grandchildren', async () => {
  const { server, run, resultOf, lineOf } = await openAgent();
  run('j/0', 'sh -c \'sleep 600 & echo "pid $!"; wait\'; echo survived');
  const grandchild = Number(await lineOf('j/0', 'pid '));
  expect(isAlive(grandchild)).toBe(true);
  server.give({ kind: 'cancel', command_id: 'j/0' });
  expect(await resultOf('j/0')).toEqual({ exit_status: 143, variables: null });
  expect(isAlive(grandchild)).toBe(false);
  expect(server.linesOf('j/0')).not.toContain('survived');
});

test('a command that does not heed the first signal is killed', async () => {
  const { server, run, resultOf, lineOf } = await openAgent();
  run('j/0', 'trap "" TERM; sh -c \'echo "pid $$"; exec sleep 600\'', {
    command: 'exec sh j_0.sh',
  });
  const stubborn = Number(await lineOf('j/0', 'pid '));
  server.give({ kind: 'cancel', command_id: 'j/0' });
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 137 });
  expect(isAlive(stubborn)).toBe(false);
});

test('a command may clean up when it is canceled', async () => {
  const { server, run, resultOf, lineOf } = await openAgent();
  const script = 'trap "echo cleaned; exit 9" TERM; echo ready; while :; do sleep 0.01; done';
  run('j/0', script, { command: 'exec sh j_0.sh' });
  await lineOf('j/0', 'ready');
  server.give({ kind: 'cancel', command_id: 'j/0' });
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 9 });
  expect(server.linesOf('j/0')).toEqual(['ready', 'cleaned']);
});

test('canceling a command that does not run changes nothing', async () => {
  const { server, run, resultOf } = await openAgent();
  server.give({ kind: 'cancel', command_id: 'x/0' });
  run('j/0', 'exit 5');
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 5 });
});

test('a background process neither delays the result nor dies with the command', async () => {
  const { run, resultOf, lineOf } = await openAgent();
  run('j/0', 'sleep 600 & echo "pid $!"; exit 6');
  const background = Number(await lineOf('j/0', 'pid '));
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 6 });
  expect(isAlive(background)).toBe(true);
  process.kill(background);
});

test('after a broken connection the same batches come again, and count once', async () => {
  const { server, run, resultOf } = await openAgent();
  const fates: PostFate[] = ['break', 'store-and-break', 'ServiceUnavailable', 'store'];
  server.onPost = () => fates.shift() ?? 'store';
  run('j/0', 'echo a; sleep 0.1; echo b');
  await resultOf('j/0');
  expect(server.linesOf('j/0')).toEqual(['a', 'b']);
  expect(server.batches.map((batch) => batch.sequence)).toEqual(
    server.batches.map((_, index) => index),
  );
  expect(server.posts.length).toBeGreaterThan(server.batches.length);
  expect(new Set(server.posts).size).toBe(server.batches.length);
});

test('a command that is handed out twice runs once', async () => {
  const { server, folder, run, resultOf } = await openAgent();
  run('j/0', 'echo run >> count');
  await resultOf('j/0');
  run('j/1', 'true');
  await resultOf('j/1');
  run('j/0', 'echo run >> count');
  await eventually(() => expect(server.polls.at(-1)?.last).toBe('j/0'));
  run('j/2', 'true');
  await resultOf('j/2');
  expect(readFileSync(`${folder}/count`, 'utf8')).toBe('run\n');
});

test('the command in the answer to a result runs at once, while the poll goes on being held', async () => {
  const { server, run, resultOf } = await openAgent();
  const next = { kind: 'run', command_id: 'j/1', filename: 'n.sh', content: 'echo next' };
  server.onStored = ({ command_id }) =>
    command_id === 'j/0' ? { ...next, command: 'sh ./n.sh' } : null;
  run('j/0', 'exit 3');
  expect(await resultOf('j/1')).toMatchObject({ exit_status: 0 });
  expect(server.linesOf('j/1')).toEqual(['next']);
  expect(server.polls.map(({ last }) => last)).not.toContain('j/1');
});

test('a command that comes in the answer to a result and in that to a poll runs once', async () => {
  const { server, folder, run, resultOf } = await openAgent();
  const content = `echo ran >> "${folder}/runs"`;
  const next = { command_id: 'j/1', filename: 'j_1.sh', content };
  server.onStored = ({ command_id }) => {
    if (command_id !== 'j/0') return null;
    run('j/1', content);
    return { kind: 'run', ...next, command: `sh "${folder}/j_1.sh"` };
  };
  run('j/0', 'true');
  await resultOf('j/1');
  await eventually(() => expect(server.polls.at(-1)?.last).toBe('j/1'));
  expect(readFileSync(`${folder}/runs`, 'utf8')).toBe('ran\n');
});

test('a command that is not understood in the answer to a result is passed over', async () => {
  const { server, run, resultOf } = await openAgent();
  server.onStored = ({ command_id }) => (command_id === 'j/0' ? { kind: 'run' } : null);
  run('j/0', 'exit 3');
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 3 });
  run('j/1', 'exit 4');
  expect(await resultOf('j/1')).toMatchObject({ exit_status: 4 });
  expect(server.posts).toHaveLength(2);
});

test('an unwanted command is ended and its output dropped', async () => {
  const { server, run, resultOf } = await openAgent();
  server.onPost = (batch) => (batch.command_id === 'j/0' ? 'Conflict' : 'store');
  run('j/0', 'echo "pid $$"; exec sleep 600');
  const refused = await present(() => server.posts[0]);
  const pid = Number(/pid (\d+)/.exec(refused)?.[1]);
  await eventually(() => expect(isAlive(pid)).toBe(false));
  run('k/0', 'exit 1');
  expect(await resultOf('k/0')).toMatchObject({ exit_status: 1 });
  expect(server.posts.filter((post) => post.includes('j/0'))).toHaveLength(1);
});

test('a new command takes the place of one that still runs', async () => {
  const { run, resultOf, lineOf } = await openAgent();
  run('j/0', 'echo "pid $$"; exec sleep 600');
  const pid = Number(await lineOf('j/0', 'pid '));
  run('k/0', 'exit 8');
  expect(await resultOf('k/0')).toMatchObject({ exit_status: 8 });
  expect(isAlive(pid)).toBe(false);
});

// Bound: Output in the agent, waiting or under way.
test('a command that prints more than a slow server takes is held up, not gathered in memory', async () => {
  const { server, folder, run, resultOf } = await openAgent();
  const blocked = Promise.withResolvers<PostFate>();
  server.onPost = () => blocked.promise;
  const written = 16 * 1024 * 1024;
  await writeFile(`${folder}/block`, `${'x'.repeat(1023)}\n`.repeat(64));
  run(
    'j/0',
    `i=0; while [ $i -lt 256 ]; do cat block; i=$((i+1)); echo $i > "${folder}/progress"; done`,
  );
  const progress = () => Number(readFileSync(`${folder}/progress`, 'utf8')) * 64 * 1024;
  await standsStill(progress);
  // Output that waits here, and in pipes and streams on the way.
  expect(progress()).toBeLessThan(WAITING_BYTES_MAX + 1024 * 1024);
  blocked.resolve('store');
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 0 });
  expect(server.linesOf('j/0').join('').length).toBe((written / 1024) * 1023);
});

/** Waits until a number has not changed in twenty looks. */
async function standsStill(look: () => number): Promise<void> {
  const seen: number[] = [];
  await eventually(() => {
    seen.push(look());
    expect(new Set(seen.slice(-20)).size).toBe(1);
    expect(seen.length).toBeGreaterThan(20);
  });
}

test('the server learns that the last line has no end', async () => {
  const { server, run, resultOf } = await openAgent();
  const cutLinesOf = (commandId: string) =>
    server.batches
      .filter((batch) => batch.command_id === commandId)
      .flatMap(({ output }) => output)
      .filter(({ cut }) => cut === true)
      .map(({ lines }) => (typeof lines === 'string' ? lines.split('\n') : lines).at(-1));
  run('j/0', 'echo whole; printf partial');
  await resultOf('j/0');
  expect(cutLinesOf('j/0')).toEqual(['partial']);
  run('j/1', 'echo whole');
  await resultOf('j/1');
  expect(cutLinesOf('j/1')).toEqual([]);
});
