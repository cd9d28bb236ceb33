/** Wire facts 3.4 on workspaces, sentence by sentence: bash really runs the unix scripts. The windows scripts are compared as text. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CommandFixture, executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';
import { openEnvironment } from './unix-environment.fixture.ts';
import { parseVariablesFile } from './variables-file.ts';

const setup = (more: object = {}) => ({ hooks: { channel: 'setup', ...more } });
const teardown = (more: object = {}) => ({ hooks: { channel: 'teardown', ...more } });
const use = (directory: string) => setup({ 'use-workspace': directory });
const keep = (isKept: boolean) => teardown({ 'keep-workspace': isKept });

/** The lines of a script for windows that have to do with the workspace. */
function windowsLines(fixture: CommandFixture): readonly string[] {
  const { content } = buildScript(executionCommand(fixture), { os: 'windows', root: 'C:\\s' });
  return content.split('\r\n').filter((line) => /workspace|mkdir|rmdir/i.test(line));
}

const CLEAR = '@set "OPENTF_WORKSPACE="';
const ENTER = 'if defined OPENTF_WORKSPACE cd /D "%OPENTF_WORKSPACE%"';
const FIND = `if not defined OPENTF_WORKSPACE if exist "${JOB_ID}" set "OPENTF_WORKSPACE=%CD%\\${JOB_ID}"`;
const DELETE = `if exist "${JOB_ID}" rmdir /S /Q "${JOB_ID}"`;
const record = (path: string) => `echo set "OPENTF_WORKSPACE=${path}">>"%OPENTF_VARIABLES%"`;

/** The workspace that a job has recorded. */
function recorded(variablesPath: string): string | undefined {
  // As the shell reads it: `%q` may have quoted it.
  return parseVariablesFile(readFileSync(variablesPath, 'utf8').split('\n')).OPENTF_WORKSPACE;
}

const NAMES = [
  'plain',
  'with blanks',
  'Prüfstände',
  '日本語',
  "it's (mine)",
  '$HOME',
  '-dash',
  'a/b/c',
  '#number',
  'semi;colon & more',
];

describe('a setup hook with use-workspace', () => {
  // Language 3.4: `use-workspace` makes the directory, records it and says so.
  test.each(NAMES)('makes the directory %j, records it and says so, and works there', (name) => {
    const { run, work } = openEnvironment();
    for (const sequence of [0, 3]) {
      const { lines, stderr } = run({ sequence, ...use(name), scripts: ['pwd'] });
      expect(stderr).toBe('');
      expect(lines).toEqual([
        `Using workspace '${name}' on execution environment`,
        join(work, name),
      ]);
    }
    expect(run({ sequence: 4, scripts: ['pwd'] }).lines).toEqual([join(work, name)]);
  });

  test('does not empty a directory that is there', () => {
    const { run, work } = openEnvironment();
    mkdirSync(join(work, 'shop'));
    writeFileSync(join(work, 'shop', 'file'), '');
    expect(run({ ...use('shop'), scripts: ['ls'] }).lines.slice(1)).toEqual(['file']);
  });

  test('takes an absolute path as it is', () => {
    const { run, root, variablesPath } = openEnvironment();
    run({ ...use('/tmp'), scripts: ['true'] });
    expect(recorded(variablesPath)).toBe('/tmp');
    const other = join(root, 'other');
    expect(run({ sequence: 1, ...use(other), scripts: ['pwd'] }).lines.at(-1)).toBe(other);
  });

  test.each([
    ['shop', 'shop', '%CD%\\shop', 'shop'],
    ['my tests/ü', 'my tests\\ü', '%CD%\\my tests\\ü', 'my tests\\ü'],
    ['C:/R&D/x', 'C:\\R&D\\x', 'C:\\R&D\\x', 'C:\\R^&D\\x'],
    ['/srv/shop', '\\srv\\shop', '\\srv\\shop', '\\srv\\shop'],
    ['//host/share', '\\\\host\\share', '\\\\host\\share', '\\\\host\\share'],
    ['%TEMP%/x', '%TEMP%\\x', '%TEMP%\\x', '%TEMP%\\x'],
    // Language 3.4: `use-workspace` makes the directory, records it and says so.
  ])('on windows, %j: is made, recorded, told and entered', (name, made, path, actual) => {
    for (const sequence of [0, 2]) {
      expect(windowsLines({ sequence, ...use(name) })).toEqual([
        CLEAR,
        `if not exist "${made}" mkdir "${made}"`,
        record(path),
        `echo Using workspace '${actual}' on execution environment`,
        ...(sequence === 0 ? [] : [FIND]),
        ENTER,
      ]);
    }
  });
});

describe('a setup hook without use-workspace', () => {
  // Language 3.4: A setup hook without it records `.` at command 0.
  test('records the directory of the agent at command 0, and makes none', () => {
    const { run, work, variablesPath } = openEnvironment();
    expect(run({ ...setup(), scripts: ['pwd'] }).lines).toEqual([work]);
    expect(readdirSync(work)).toEqual([]);
    expect(readFileSync(variablesPath, 'utf8')).toMatch(/OPENTF_WORKSPACE=.*\/\.$/m);
    expect(windowsLines(setup())).toEqual([CLEAR, record('%CD%\\.'), ENTER]);
  });

  // Language 3.4: A setup hook without it records `.` at command 0.
  test('records nothing later, so that what is recorded stays', () => {
    const { run, workspace } = openEnvironment();
    run({});
    expect(run({ sequence: 1, ...setup(), scripts: ['pwd'] }).lines).toEqual([workspace]);
    expect(windowsLines({ sequence: 1, ...setup() })).toEqual([CLEAR, FIND, ENTER]);
  });

  test('leaves the workspace to the next command that is told to use one', () => {
    const { run, workspace } = openEnvironment();
    run({ ...setup(), scripts: ['true'] });
    const { lines } = run({ sequence: 1, ...use(JOB_ID), scripts: ['pwd'] });
    expect(lines).toEqual([`Using workspace '${JOB_ID}' on execution environment`, workspace]);
  });
});

describe('without a setup hook', () => {
  // Language 3.4: Without a setup hook command 0 makes a directory with the id of the job.
  // Language 3.4: The whole path is recorded.
  test('command 0 makes a directory that has the id of the job, and records where it is', () => {
    const { run, workspace } = openEnvironment();
    expect(run({ scripts: ['pwd', 'echo "$OPENTF_WORKSPACE"'] }).lines).toEqual([
      workspace,
      workspace,
    ]);
    expect(windowsLines({})).toEqual([
      CLEAR,
      `if not exist "${JOB_ID}" mkdir "${JOB_ID}"`,
      record(`%CD%\\${JOB_ID}`),
      ENTER,
    ]);
  });

  test('so does one of a teardown hook, in a job that did nothing else', () => {
    const { run, workspace } = openEnvironment();
    expect(run({ ...teardown(), scripts: ['pwd'] }).lines).toEqual([workspace]);
    expect(run({ sequence: -2, ...keep(false) }).status).toBe(0);
    expect(existsSync(workspace)).toBe(false);
  });
});

describe('a teardown hook', () => {
  test('works in the workspace if it says nothing of keeping it', () => {
    const { run, workspace } = openEnvironment();
    run({});
    expect(run({ sequence: 1, ...teardown(), scripts: ['pwd'] }).lines).toEqual([workspace]);
    expect(windowsLines({ sequence: 1, ...teardown() })).toEqual([CLEAR, FIND, ENTER]);
  });

  test('works in a workspace that is kept', () => {
    const { run, workspace } = openEnvironment();
    run({});
    expect(run({ sequence: 1, ...keep(true), scripts: ['pwd'] }).lines).toEqual([workspace]);
    expect(windowsLines({ sequence: 1, ...keep(true) })).toEqual([CLEAR, FIND, ENTER]);
  });

  // Language 3.4: A teardown hook that keeps nothing deletes the workspace, records `.` and stays.
  test('deletes one that is not kept, once, records that there is none, and stays outside', () => {
    const { run, work, workspace, variablesPath } = openEnvironment();
    run({ scripts: ['touch file'] });
    for (const sequence of [1, 2]) {
      expect(run({ sequence, ...keep(false), scripts: ['pwd'] })).toMatchObject({
        status: 0,
        lines: [work],
      });
      expect(existsSync(workspace)).toBe(false);
    }
    expect(readFileSync(variablesPath, 'utf8')).toMatch(/\/\.$/m);
    expect(run({ sequence: -2, ...keep(false) })).toMatchObject({ status: 0, lines: [] });
    expect(existsSync(work)).toBe(true);
    expect(windowsLines({ sequence: 1, ...keep(false) })).toEqual([
      CLEAR,
      FIND,
      DELETE,
      record('%CD%\\.'),
    ]);
  });
});

describe('the release', () => {
  test.each(NAMES)('leaves the directory %j that a hook gave, whoever made it', (name) => {
    const { run, work } = openEnvironment();
    run({ ...use(name), scripts: ['touch file'] });
    run({ sequence: 1, ...keep(false) });
    expect(run({ sequence: -2 })).toMatchObject({ status: 0, lines: [], stderr: '' });
    expect(existsSync(join(work, name, 'file'))).toBe(true);
  });

  const TAKEN = [
    ['export', 'echo "export OPENTF_WORKSPACE=$MINE" >> "$OPENTF_VARIABLES"'],
    ['a file that was written anew', 'echo "export OPENTF_WORKSPACE=$MINE" > "$OPENTF_VARIABLES"'],
    ['a path from here', 'echo "export OPENTF_WORKSPACE=." >> "$OPENTF_VARIABLES"'],
    ['a path to above', 'echo "export OPENTF_WORKSPACE=\\$PWD/.." >> "$OPENTF_VARIABLES"'],
    ['no path', 'echo "unset OPENTF_WORKSPACE" >> "$OPENTF_VARIABLES"'],
  ] as const;

  test.each(TAKEN)('deletes what the first step made, not what a step set: %s', (_, script) => {
    const { run, root, work, workspace } = openEnvironment();
    const mine = join(work, 'mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'file'), '');
    const variables = { MINE: { value: `'${mine}'`, verbatim: true } };
    run({ variables, scripts: [script] });
    run({ sequence: 1, scripts: ['true'] });
    expect(run({ sequence: -2 })).toMatchObject({ status: 0, lines: [] });
    expect(existsSync(join(mine, 'file'))).toBe(true);
    expect(existsSync(workspace)).toBe(false);
    expect(readdirSync(root)).toEqual([]);
  });

  test('so does a teardown hook', () => {
    const { run, work, workspace } = openEnvironment();
    mkdirSync(join(work, 'mine'));
    run({ scripts: ['echo "export OPENTF_WORKSPACE=\\$PWD/mine" >> "$OPENTF_VARIABLES"'] });
    expect(run({ sequence: 1, ...keep(false), scripts: ['pwd'] }).lines).toEqual([work]);
    expect(readdirSync(work)).toEqual(['mine']);
    expect(existsSync(workspace)).toBe(false);
  });

  // Language 3.4: The release keeps a workspace that a hook wants kept, and says so.
  test.each(NAMES)('keeps the workspace %j that a hook wants kept, and says so', (name) => {
    const { run, work, root } = openEnvironment();
    run({ ...use(name), scripts: ['touch file'] });
    expect(run({ sequence: -2, ...keep(true) })).toMatchObject({
      status: 0,
      lines: [`Keeping workspace '${join(work, name)}' on execution environment`],
      stderr: '',
    });
    expect(existsSync(join(work, name, 'file'))).toBe(true);
    expect(readdirSync(root)).toEqual([]);
  });

  test('deletes it when a hook says that it is not kept', () => {
    const { run, workspace } = openEnvironment();
    run({});
    run({ sequence: -2, ...keep(false) });
    expect(existsSync(workspace)).toBe(false);
  });

  test('on windows does the same', () => {
    const kept = [
      CLEAR,
      FIND,
      "echo Keeping workspace '!OPENTF_WORKSPACE!' on execution environment",
    ];
    expect(windowsLines({ sequence: -2 })).toEqual([CLEAR, DELETE]);
    expect(windowsLines({ sequence: -2, ...keep(false) })).toEqual([CLEAR, DELETE]);
    expect(windowsLines({ sequence: -2, ...teardown() })).toEqual([CLEAR, DELETE]);
    expect(windowsLines({ sequence: -2, ...keep(true) })).toEqual(kept);
  });

  test.each([
    ['of a setup hook', setup()],
    ['that a hook named so', use('shop/.')],
    // Language 3.4: A workspace that ends in a dot is never deleted.
  ])('never deletes a workspace that ends in a dot: %s', (_, fixture) => {
    const { run, work } = openEnvironment();
    mkdirSync(join(work, 'shop'));
    writeFileSync(join(work, 'shop', 'file'), '');
    run({ ...fixture, scripts: ['true'] });
    run({ sequence: 1, ...keep(false), scripts: ['true'] });
    expect(run({ sequence: -2 }).status).toBe(0);
    expect(existsSync(join(work, 'shop', 'file'))).toBe(true);
  });
});
