/** Processes that another one starts for this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, isAlive } from '../testing/agent-fixture.ts';
import type { WaitingProcess } from './command-process.ts';
import { platformOf } from './platform.ts';
import { childrenOf } from './process-group.ts';
import { createProcessLender } from './process-lender.ts';

const platform = platformOf('linux');
const WAITS = platform.prepared(platform.program(['sh', '-c', '']));

function openLender(keepMs?: number) {
  const before = new Set(childrenOf(process.pid));
  const lender = createProcessLender(keepMs);
  onTestFinished(() => lender.close());
  return {
    ...lender,
    lend: (workingDir = '/') => {
      if (WAITS === null) throw new Error('This system has no such processes.');
      return lender.lend(WAITS, { workingDir, environment: { PATH: process.env.PATH } });
    },
    /** The process that lends, which is the only one that this test has started. */
    pid: () => childrenOf(process.pid).find((pid) => !before.has(pid)) ?? Number.NaN,
  };
}

function run(waiting: WaitingProcess | null, script: string) {
  if (waiting === null) throw new Error('Nothing was lent.');
  const exited = new Promise((resolve) => {
    waiting.once('exit', (code, signal) => resolve(code ?? signal));
  });
  const closed = new Promise((resolve) => waiting.once('close', resolve));
  waiting.stdout.write(`${script}\n`);
  // A process that is killed before it reads the line resets its socket.
  const stdout = text(waiting.stdout).catch(({ code }: NodeJS.ErrnoException) => code);
  const stderr = text(waiting.stderr);
  return { pid: waiting.pid ?? Number.NaN, exited, closed, stdout, stderr };
}

test('all that it prints comes, of each stream, and how it ended', async () => {
  const { lend } = openLender();
  const ran = run(await lend(), 'seq 200000; echo wrong >&2; exit 7');
  expect((await ran.stdout)?.split('\n').slice(-2)).toEqual(['200000', '']);
  expect(await ran.stderr).toBe('wrong\n');
  expect(await ran.exited).toBe(7);
  await ran.closed;
});

test('a signal to its group ends it, and its end is reported', async () => {
  const { lend } = openLender();
  const ran = run(await lend(), 'echo begun; sleep 600 & wait');
  process.kill(-ran.pid, 'SIGTERM');
  expect(await ran.exited).toBe('SIGTERM');
  await ran.closed;
});

test('its end is reported while something that it left holds its pipes', async () => {
  const { lend } = openLender();
  const ran = run(await lend(), 'sleep 600 & echo over; exit 3');
  let isClosed = false;
  const closed = ran.closed.then(() => {
    isClosed = true;
  });
  expect(await ran.exited).toBe(3);
  expect(isClosed).toBe(false);
  process.kill(-ran.pid, 'SIGTERM');
  await closed;
  expect(await ran.stdout).toBe('over\n');
});

test("many at a time do not get in each other's way", async () => {
  const { lend } = openLender();
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const outputs = await Promise.all(
    numbers.map(async (number) => run(await lend(), `echo ${number}`).stdout),
  );
  expect(outputs).toEqual(numbers.map((number) => `${number}\n`));
});

test('a waiting process ends when its pipe closes', async () => {
  const { lend } = openLender();
  const waiting = await lend();
  waiting?.stdout.destroy();
  await eventually(() => expect(isAlive(waiting?.pid ?? 0)).toBe(false));
});

test('where a process cannot be started there is none to be had, and later ones are', async () => {
  const { lend } = openLender();
  expect(await lend('/nowhere')).toBeNull();
  expect(await run(await lend(), 'echo later').stdout).toBe('later\n');
});

test('when the lender is gone, lent processes are killed and reported as killed; it lends no more', async () => {
  const { lend, pid } = openLender();
  const ran = run(await lend(), 'echo begun; sleep 600');
  process.kill(pid(), 'SIGKILL');
  expect(await ran.exited).toBe('SIGKILL');
  await ran.closed;
  expect(await lend()).toBeNull();
});

test('it ends when nothing is lent any more, and lends again later', async () => {
  const { lend, pids } = openLender(1);
  const first = run(await lend(), 'echo first');
  const [lending = Number.NaN] = pids();
  expect(await first.stdout).toBe('first\n');
  await eventually(() => expect(isAlive(lending)).toBe(false));
  expect(pids()).toEqual([]);
  expect(await run(await lend(), 'echo later').stdout).toBe('later\n');
});

test('it ends when it is closed, also before anything was lent', async () => {
  const { lend, close, pid } = openLender();
  const asked = lend();
  const lending = pid();
  close();
  expect(await asked).toBeNull();
  await eventually(() => expect(isAlive(lending)).toBe(false));
});

const BORROWS = `
  import { createProcessLender } from ${JSON.stringify(join(import.meta.dirname, 'process-lender.ts'))};
  setInterval(() => {}, 1000);
  const lent = createProcessLender().lend(${JSON.stringify(WAITS)}, '/', {});
  if (process.argv[1] === 'waits') await lent;
  console.log('borrowed');
`;

test.each([
  ['before it is ready', 'hurries'],
  ['while something is borrowed', 'waits'],
])('it ends when the borrower is killed %s', async (_when, how) => {
  const borrower = spawn(process.execPath, ['--input-type=module', '-e', BORROWS, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void borrower.kill('SIGKILL'));
  await once(borrower.stdout, 'data');
  const [lending = Number.NaN] = childrenOf(borrower.pid ?? Number.NaN);
  expect(isAlive(lending)).toBe(true);
  borrower.kill('SIGKILL');
  await eventually(() => expect(isAlive(lending)).toBe(false));
});
