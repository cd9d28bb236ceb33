import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, isAlive, openFolder } from '../testing/agent-fixture.ts';
import type { CommandProcess, WaitingProcess } from './command-process.ts';
import { platformOf } from './platform.ts';
import { childrenOf } from './process-group.ts';
import { createProcessLender, type ProcessLender } from './process-lender.ts';
import { createProcessStarter, type ProcessStarter } from './process-starter.ts';

const platform = platformOf('linux');
const shell = (script: string) => platform.program(['sh', '-e', '-c', script]);

interface Opened {
  readonly starter: ProcessStarter;
  readonly workingDir: string;
  /** Process id of the prepared process. */
  readonly prepared: number;
  /** Number of processes prepared since then. */
  readonly times: () => number;
  /** Whether the agent has heard of its end. */
  readonly isKnownGone: () => boolean;
}

async function openPlaces() {
  const workingDir = path.join(await openFolder(), 'work');
  mkdirSync(workingDir);
  return { workingDir, platform, environment: { PATH: process.env.PATH, SEEN: 'yes' } };
}

/** A starter that has run one command, and has a process ready. */
async function openOwn(): Promise<Opened> {
  const options = await openPlaces();
  const starter = createProcessStarter(options);
  onTestFinished(() => starter.close());
  await outputOf(starter.start(shell('true')));
  const before = new Set(childrenOf(process.pid));
  const ready = () => childrenOf(process.pid).filter((pid) => !before.has(pid));
  starter.prepare();
  const [prepared] = ready();
  if (prepared === undefined) throw new Error('Nothing was made ready.');
  const isKnownGone = () => !ready().includes(prepared);
  return { starter, ...options, prepared, times: () => ready().length, isKnownGone };
}

/** A starter that has run two commands, and has borrowed a process. */
async function openBorrowing(): Promise<Opened> {
  const options = await openPlaces();
  const loans: Promise<WaitingProcess | null>[] = [];
  const lender = createProcessLender();
  const lend: ProcessLender['lend'] = (...asked) => {
    const loan = lender.lend(...asked);
    loans.push(loan);
    return loan;
  };
  const starter = createProcessStarter({ ...options, lender: { ...lender, lend } });
  onTestFinished(() => {
    starter.close();
    lender.close();
  });
  await outputOf(starter.start(shell('true')));
  expect(loans).toEqual([]);
  await outputOf(starter.start(shell('true')));
  const child = await loans[0];
  const prepared = child?.pid;
  if (prepared === undefined) throw new Error('Nothing was lent.');
  const isKnownGone = () => child?.signalCode === 'SIGKILL';
  return { starter, ...options, prepared, times: () => loans.length, isKnownGone };
}

const outputOf = async (child: CommandProcess): Promise<string> =>
  (await Promise.all([text(child.stdout), text(child.stderr)])).join('');

const isGone = (pid: number) => eventually(() => expect(isAlive(pid)).toBe(false));

describe.each([
  ['the agent makes ready', openOwn],
  ['is borrowed', openBorrowing],
])('a process that %s', (_how, open) => {
  test('a prepared process becomes the next command', async () => {
    const { starter, workingDir, prepared } = await open();
    const child = starter.start(
      shell(`pwd; echo "$SEEN $$ $0 $-"; exec 2>&1; echo >&3 || true; exit 5`),
    );
    expect(child.pid).toBe(prepared);
    const [place, line, closed] = (await outputOf(child)).split('\n');
    expect(place).toBe(workingDir);
    expect(line).toMatch(new RegExp(`^yes ${prepared} \\S+ .*e`));
    // The pipe for the command is not inherited.
    expect(closed).toMatch(/3/);
    await eventually(() => expect(child.exitCode).toBe(5));
  });

  test('a command that closes its standard output goes on', async () => {
    const { starter, prepared } = await open();
    const child = starter.start(shell('echo first; exec >&-; echo second >&2; exit 5'));
    expect(child.pid).toBe(prepared);
    const exited = once(child, 'exit');
    expect(await outputOf(child)).toBe('first\nsecond\n');
    expect(await exited).toEqual([5, null]);
  });

  test('a prepared process takes its argument as it is', async () => {
    const { starter } = await open();
    const words = String.raw`printf '%s|' "  two  blanks " \\n 'é' '$HOME'  `;
    expect(await outputOf(starter.start(shell(words)))).toBe(
      String.raw`  two  blanks |\n|é|$HOME|`,
    );
  });

  test.each([
    ['another program', platform.program(['sh', '-c', 'echo "it runs $$"'])],
    ['an argument of two lines', shell('echo "it runs\n" "$$"')],
    ['an argument that is empty', platform.program(['sh', '-e', '-c', ''])],
  ])('%s is started directly, and the prepared process goes', async (_what, invocation) => {
    const { starter, prepared } = await open();
    const child = starter.start(invocation);
    expect(child.pid).not.toBe(prepared);
    await outputOf(child);
    await isGone(prepared);
  });

  test('where the workspace is another directory now, the command is started in that one', async () => {
    const { starter, workingDir, prepared } = await open();
    rmSync(workingDir, { recursive: true });
    mkdirSync(workingDir);
    const child = starter.start(shell('echo here > file; ls'));
    expect(child.pid).not.toBe(prepared);
    expect(await outputOf(child)).toBe('file\n');
    await isGone(prepared);
  });

  test('a prepared process that was killed is not used', async () => {
    const { starter, prepared, isKnownGone } = await open();
    process.kill(prepared, 'SIGKILL');
    await eventually(() => expect(isKnownGone()).toBe(true));
    expect(await outputOf(starter.start(shell('echo anew')))).toBe('anew\n');
  });

  test('a prepared process ends with its starter, which prepares no other', async () => {
    const { starter, prepared, times } = await open();
    starter.close();
    await isGone(prepared);
    const before = times();
    starter.prepare();
    expect(times()).toBe(before);
  });

  test('if the workspace cannot be read, nothing is prepared, and the prepared process goes', async () => {
    const { starter, workingDir, prepared } = await open();
    rmSync(workingDir, { recursive: true });
    symlinkSync(workingDir, workingDir);
    // The runner of a command reports why it could not be started.
    expect(() => starter.start(shell('true'))).toThrow('ELOOP');
    await isGone(prepared);
    starter.prepare();
  });

  test('nothing is made ready twice', async () => {
    const { starter, times } = await open();
    const before = times();
    starter.prepare();
    expect(times()).toBe(before);
  });
});

/** A starter that has asked for a process, which may be on its way. */
async function openAsking(lender: ProcessLender) {
  const starter = createProcessStarter({ ...(await openPlaces()), lender });
  onTestFinished(() => {
    starter.close();
    lender.close();
  });
  for (const _ of [1, 2]) await outputOf(starter.start(shell('true')));
  return starter;
}

test('a command waits for the process that is on its way', async () => {
  const lender = createProcessLender();
  const lent = Promise.withResolvers<WaitingProcess | null>();
  const arrival = Promise.withResolvers<void>();
  const lend: ProcessLender['lend'] = async (...asked) => {
    lent.resolve(lender.lend(...asked));
    await arrival.promise;
    return lent.promise;
  };
  const starter = await openAsking({ ...lender, lend });
  const prepared = await lent.promise;
  const settled = starter.settled();
  arrival.resolve();
  await settled;
  const child = starter.start(shell('echo here'));
  expect(child).toBe(prepared);
  expect(await outputOf(child)).toBe('here\n');
});

test('a command does not wait for a lender that stands still', async () => {
  const never = new Promise<null>(() => undefined);
  const starter = await openAsking({ lend: () => never, pids: () => [], close: () => undefined });
  await starter.settled();
  expect(await outputOf(starter.start(shell('echo anyway')))).toBe('anyway\n');
});
