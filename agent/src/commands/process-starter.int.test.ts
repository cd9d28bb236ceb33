import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, isAlive, openFolder } from '../testing/agent-fixture.ts';
import { childrenOf } from '../testing/children.ts';
import { platformOf } from './platform.ts';
import { createProcessStarter, type PipedProcess } from './process-starter.ts';

const platform = platformOf('linux');
const shell = (script: string) => platform.program(['sh', '-e', '-c', script]);

/** A starter that has run one command, and has a process ready. */
async function openStarter() {
  const workingDir = path.join(await openFolder(), 'work');
  mkdirSync(workingDir);
  const environment = { PATH: process.env.PATH, SEEN: 'yes' };
  const starter = createProcessStarter({ platform, environment, workingDir });
  onTestFinished(() => starter.close());
  await outputOf(starter.start(shell('true')));
  const before = new Set(childrenOf(process.pid));
  starter.prepare();
  const prepared = childrenOf(process.pid).find((pid) => !before.has(pid));
  if (prepared === undefined) throw new Error('Nothing was made ready.');
  return { starter, workingDir, prepared };
}

const outputOf = async (child: PipedProcess): Promise<string> =>
  (await Promise.all([text(child.stdout), text(child.stderr)])).join('');

const isGone = (pid: number) => eventually(() => expect(isAlive(pid)).toBe(false));

test('what was made ready becomes the next command', async () => {
  const { starter, workingDir, prepared } = await openStarter();
  const child = starter.start(
    shell(`pwd; echo "$SEEN $$ $0 $-"; exec 2>&1; echo >&3 || true; exit 5`),
  );
  expect(child.pid).toBe(prepared);
  const [place, line, closed] = (await outputOf(child)).split('\n');
  expect(place).toBe(workingDir);
  expect(line).toMatch(new RegExp(`^yes ${prepared} \\S+ .*e`));
  // What it was told through is not handed on.
  expect(closed).toMatch(/3/);
  await eventually(() => expect(child.exitCode).toBe(5));
});

test.each([
  ['another program', platform.program(['sh', '-c', 'echo "it runs $$"'])],
  ['an argument of two lines', shell('echo "it runs\n" "$$"')],
  ['an argument that is empty', platform.program(['sh', '-e', '-c', ''])],
])('%s is started anew, and what was made ready goes', async (_what, invocation) => {
  const { starter, prepared } = await openStarter();
  const child = starter.start(invocation);
  expect(child.pid).not.toBe(prepared);
  await outputOf(child);
  await isGone(prepared);
});

test('where the workspace is another directory now, the command is started in that one', async () => {
  const { starter, workingDir, prepared } = await openStarter();
  rmSync(workingDir, { recursive: true });
  mkdirSync(workingDir);
  const child = starter.start(shell('echo here > file; ls'));
  expect(child.pid).not.toBe(prepared);
  expect(await outputOf(child)).toBe('file\n');
  await isGone(prepared);
});

test('what was killed while it waited is not used', async () => {
  const { starter, prepared } = await openStarter();
  process.kill(prepared, 'SIGKILL');
  await isGone(prepared);
  await eventually(() => expect(childrenOf(process.pid)).not.toContain(prepared));
  expect(await outputOf(starter.start(shell('echo anew')))).toBe('anew\n');
});

test('what was made ready ends with its starter, which makes nothing ready any more', async () => {
  const { starter, prepared } = await openStarter();
  starter.close();
  await isGone(prepared);
  const before = childrenOf(process.pid);
  starter.prepare();
  expect(childrenOf(process.pid)).toEqual(before);
});

test('where the workspace cannot even be looked at, nothing is made ready, and what was goes', async () => {
  const { starter, workingDir, prepared } = await openStarter();
  rmSync(workingDir, { recursive: true });
  symlinkSync(workingDir, workingDir);
  // Whoever runs a command tells why it could not be started.
  expect(() => starter.start(shell('true'))).toThrow('ELOOP');
  await isGone(prepared);
  starter.prepare();
});

test('nothing is made ready twice', async () => {
  const { starter } = await openStarter();
  const before = childrenOf(process.pid);
  starter.prepare();
  expect(childrenOf(process.pid)).toEqual(before);
});
