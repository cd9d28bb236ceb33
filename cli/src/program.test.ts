import { expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { COMMAND_GROUPS } from './register/command-groups.ts';
import type { Io } from './terminal/io.ts';

const io = { command: 'tutti', env: {} } as unknown as Io; // Nothing is run.
const commandsOf = async (...argv: readonly string[]) =>
  (await createProgram(argv, io)).command.commands;

test('where run is called, the program has it alone, and it is the same', async () => {
  const [run, ...others] = await commandsOf('run', 'file.yaml');
  const all = await commandsOf();
  expect(others).toEqual([]);
  expect(all.length).toBeGreaterThan(30);
  const usual = all.find((command) => command.name() === 'run');
  expect(run?.helpInformation()).toBe(usual?.helpInformation());
});

test('help has each command in a group, in the order of tasks', async () => {
  const { command } = await createProgram([], io);
  const help = command.helpInformation();
  const groups = [...COMMAND_GROUPS.keys()];
  expect(help.match(/^[A-Z].*:$/gm)).toEqual(['Options:', ...groups]);
  const shown = [...help.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name);
  expect(shown).toEqual([...COMMAND_GROUPS.values()].flat());
});
