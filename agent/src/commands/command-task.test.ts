import type { RunOrder } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { REMEMBERED_COMMANDS_MAX } from '../limits.ts';
import type { SendOutcome } from '../output/output-sender.ts';
import { createCommandDesk } from './command-task.ts';

const run = (commandId: string): RunOrder => ({
  kind: 'run',
  command_id: commandId,
  filename: 'script',
  content: '',
  command: 'true',
});

/** A desk with commands that end at the test's signal. */
function openDesk({ reporting = false } = {}) {
  const log: string[] = [];
  const ends = new Map<string, (outcome: SendOutcome) => void>();
  const desk = createCommandDesk({
    start: ({ command_id: commandId }) => {
      log.push(`start ${commandId}`);
      const { promise, resolve } = Promise.withResolvers<SendOutcome>();
      ends.set(commandId, resolve);
      return {
        commandId,
        ended: promise,
        cancel: async () => void log.push(`cancel ${commandId}`),
        supersede: () => reporting,
        abandon: async () => {
          log.push(`abandon ${commandId}`);
          resolve('abandoned');
        },
      };
    },
    onEnd: (commandId, outcome) => log.push(`${outcome} ${commandId}`),
  });
  return { desk, log, end: (id: string, outcome: SendOutcome) => ends.get(id)?.(outcome) };
}

test('a desk that had no command knows none', () => {
  expect(openDesk().desk.known()).toEqual({ last: null, running: null });
});

test('a command counts as running until the server has its result', async () => {
  const { desk, end } = openDesk();
  expect(await desk.accept(run('a'))).toBe(true);
  expect(desk.known()).toEqual({ last: 'a', running: 'a' });
  end('a', 'stored');
  await desk.settled();
  expect(desk.known()).toEqual({ last: 'a', running: null });
});

test('a command counts as running from the moment it is named', async () => {
  const { desk } = openDesk();
  await desk.accept(run('a'));
  const accepted = desk.accept(run('b'));
  // The earlier command is being abandoned.
  expect(desk.known()).toEqual({ last: 'b', running: 'b' });
  expect(await accepted).toBe(true);
  expect(desk.known()).toEqual({ last: 'b', running: 'b' });
});

test('an id is run once, and named again when it is repeated', async () => {
  const { desk, log, end } = openDesk();
  await desk.accept(run('a'));
  expect(await desk.accept(run('a'))).toBe(false);
  end('a', 'stored');
  await desk.settled();
  await desk.accept(run('b'));
  expect(await desk.accept(run('a'))).toBe(false);
  expect(desk.known().last).toBe('a');
  expect(log.filter((entry) => entry.startsWith('start'))).toEqual(['start a', 'start b']);
});

test('a command that still runs is given up before the next one starts', async () => {
  const { desk, log } = openDesk();
  await desk.accept(run('a'));
  await desk.accept(run('b'));
  expect(log).toEqual(['start a', 'abandon a', 'abandoned a', 'start b']);
});

test('a command with its result under way continues when the next one comes', async () => {
  const { desk, log, end } = openDesk({ reporting: true });
  await desk.accept(run('a'));
  await desk.accept(run('b'));
  end('a', 'stored');
  await desk.accept(run('c'));
  expect(log).toEqual(['start a', 'start b', 'stored a', 'start c']);
});

test('only the command that is named is canceled', async () => {
  const { desk, log } = openDesk();
  await desk.accept(run('a'));
  desk.cancel('b');
  desk.cancel('a');
  expect(log).toEqual(['start a', 'cancel a']);
});

// Bound: Cached ids of past commands in an agent.
test('so many ids are remembered and no more', async () => {
  const { desk, end } = openDesk();
  for (let n = 0; n <= REMEMBERED_COMMANDS_MAX; n += 1) {
    await desk.accept(run(`c${n}`));
    end(`c${n}`, 'stored');
    await desk.settled();
  }
  expect(await desk.accept(run('c1'))).toBe(false);
  expect(await desk.accept(run('c0'))).toBe(true);
});
