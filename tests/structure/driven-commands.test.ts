/** Each command of the command line is called by a test as people call it. */
import { expect, test } from 'vitest';
import { createProgram } from '../../cli/src/program.ts';
import { createProcessIo } from '../../cli/src/terminal/io.ts';
import { type CommandFacts, factsOf, withThoseBelow } from './command-facts.ts';
import { calledCommand, commandLinesIn } from './driven-commands.ts';
import { readSourceFiles } from './source-files.ts';

const facts = factsOf((await createProgram(['server'], createProcessIo())).command);
const commands = withThoseBelow(facts).filter(({ commands: below }) => below.length === 0);

const asksServer = ({ path, options }: CommandFacts): boolean =>
  path === 'tutti server' || options.some(({ term }) => term.startsWith('--server '));

/** Tests of these names start real things: servers for commands that ask one, files and keys for the others. */
const suites = {
  'that asks a server is called by a test with a real one': {
    mine: commands.filter(asksServer),
    tests: /^tests\/e2e\/.*\.test\.ts$|\.int\.test\.ts$/,
  },
  'that needs no server is called by a test with what it is about': {
    mine: commands.filter((command) => !asksServer(command)),
    tests: /^tests\/e2e\/.*\.test\.ts$|^cli\/.*\.test\.ts$/,
  },
};

const sources = readSourceFiles();

test.each(Object.entries(suites))('each command %s', (_, { mine, tests }) => {
  expect(mine.length).toBeGreaterThan(10);
  const files = sources.filter(({ path }) => tests.test(path));
  const called = new Set(
    files.flatMap(({ text }) => commandLinesIn(text)).map((words) => calledCommand(facts, words)),
  );
  const uncalled = mine.map(({ path }) => path).filter((path) => !called.has(path));
  expect(uncalled, 'no test calls these commands').toEqual([]);
});

test.each([
  ["await runCli(['agents', 'list'], options);", ['agents', 'list']],
  ["startCli(\n  ['agents', 'drain', '--all'],\n  options,\n);", ['agents', 'drain', '--all']],
  ['await runCli([`run`, file], { env });', ['run']],
  ["await run('tutti', ['completion', shell], { env });", ['completion']],
  [
    "const args = ['agents', '--watch'];\nstartCli([...args, '--token', t]);",
    ['agents', '--watch'],
  ],
  ["const tutti = (...args: string[]) => runCli(args, {});\ntutti('jobs', id);", ['jobs']],
  [
    "const of = (text: string) =>\n  runCommand(['config', ...text.split(' ')]);\nof('view -o json');",
    ['config', 'view', '-o', 'json'],
  ],
  [
    "async function gate(...args: string[]) {\n  return runCli(['gate', ...args]);\n}\ngate('--gate', 'x');",
    ['gate', '--gate', 'x'],
  ],
])('a call of the command line is found in: %s', (source, words) => {
  expect(commandLinesIn(source)).toContainEqual(words);
});

test.each([
  "// runCli(['agents'])",
  "runCli(['agents', '--help'], options);",
  "runCommand(['status', '--server', 'http://127.0.0.1:1']);",
  "test.each([[['agents', 'delete'], 'No agent is named.']])('', (args) => tutti(...args));",
  "expect(await call('agents', 'list')).toEqual(['agents']);",
])('no call of the command line is found in: %s', (source) => {
  expect(commandLinesIn(source)).toEqual([]);
});

test.each([
  [['agents'], 'tutti agents list'],
  [['agents', '-o', 'json'], 'tutti agents list'],
  [['agents', 'describe', '01'], 'tutti agents describe'],
  [['token', 'create'], 'tutti tokens create'],
  [['agents', 'descibe'], null],
  [['agent-list'], null],
])('the words %j are of the command %s', (words, path) => {
  expect(calledCommand(facts, words)).toBe(path);
});
