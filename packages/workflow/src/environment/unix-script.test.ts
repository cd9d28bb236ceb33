/** Scripts for linux and macos, really run by bash in temporary folders. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CommandFixture, executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';
import { openEnvironment } from './unix-environment.fixture.ts';
import { parseVariablesFile } from './variables-file.ts';

// Language 1.7: Each `run` is a process of its own.
// Language 3.4: All others go into the workspace.
test('the first step makes a workspace, and every step runs in it', () => {
  const { run, workspace } = openEnvironment();
  expect(run({ scripts: ['pwd', 'echo data > file'] })).toMatchObject({
    status: 0,
    lines: [workspace],
    stderr: '',
  });
  expect(run({ sequence: 1, scripts: ['pwd', 'cat file'] }).lines).toEqual([workspace, 'data']);
});

// Language 3.4: `OPENTF_VARIABLES`, `OPENTF_ACTOR` and `CI`.
test('a step sees what the environment promises', () => {
  const { run, variablesPath } = openEnvironment();
  const scripts = [
    'echo "$OPENTF_VARIABLES"',
    'echo "$OPENTF_ACTOR $CI"',
    'echo "$OPENTF_WORKSPACE"',
  ];
  const { lines } = run({ scripts });
  expect(lines.slice(0, 2)).toEqual([variablesPath, 'dummy true']);
  expect(lines[2]).toMatch(new RegExp(`/wörk dir/${JOB_ID}$`));
});

// Language 3.7: The map is in the result, with the workspace, and the file is no attachment.
test('the workspace is among the variables that the step left', () => {
  const { run, variablesPath } = openEnvironment();
  run({ scripts: ['echo "export KEY=value" >> "$OPENTF_VARIABLES"'] });
  const variables = parseVariablesFile(readFileSync(variablesPath, 'utf8').split('\n'));
  expect(variables).toMatchObject({ KEY: 'value' });
  expect(Object.keys(variables)).toContain('OPENTF_WORKSPACE');
});

// Language 1.5: Later steps of the job see variables that steps write into the variables file.
// Language 1.5: Local variables win over what was left, those of workflow and job do not.
// Language 3.4: Variables, then the variables file, then local variables.
test('variables of earlier steps win over those of the job, those of the step over both', () => {
  const { run } = openEnvironment();
  const variables = { A: 'job', B: 'job', C: 'job' };
  const persist = [
    'echo "export B=earlier" >> "$OPENTF_VARIABLES"',
    'echo "export C=earlier" >> "$OPENTF_VARIABLES"',
  ];
  run({ variables, scripts: persist });
  const { lines } = run({
    sequence: 1,
    variables: { ...variables, C: 'step' },
    locals: ['C'],
    scripts: ['echo "$A $B $C"'],
  });
  expect(lines).toEqual(['job earlier step']);
});

test('variables that a shell cannot have are told once: with the job at its first step, with a step at that step', () => {
  const { run } = openEnvironment();
  const warned = (name: string) =>
    `::warning::Scripts do not see the variable "${name}": on this system no name of one begins with a digit. Expressions do.`;
  const variables = { '1A': 'job', A1: 'seen' };
  const first = run({ variables, scripts: ['echo "$A1"'] });
  expect(first).toMatchObject({ status: 0, lines: [warned('1A'), 'seen'] });
  const more = { variables: { ...variables, '2B': 'step' }, locals: ['2B'] };
  expect(run({ ...more, sequence: 1, scripts: ['echo "$A1"'] }).lines).toEqual([
    warned('2B'),
    'seen',
  ]);
  expect(run({ sequence: -2, variables }).lines).toEqual([]);
});

// Language 1.5: The shell of the environment expands values that are not verbatim.
test('a plain value expands, a verbatim value does not', () => {
  const { run } = openEnvironment();
  const { lines, stderr } = run({
    variables: {
      PLAIN: 'ci is $CI, `echo sub`',
      VERBATIM: { value: 'ci is $CI, `echo sub`', verbatim: true },
    },
    scripts: ['echo "$PLAIN"', 'echo "$VERBATIM"'],
  });
  expect(stderr).toBe('');
  expect(lines).toEqual(['ci is true, sub', 'ci is $CI, `echo sub`']);
});

// Language 3.6: Lines on unix: verbatim values.
test('any text survives as a verbatim value, and a text without $ and ` as a plain one', () => {
  const { run } = openEnvironment();
  const text = fc.stringMatching(/^[ -~äé\n\t]{0,40}$/);
  const values = fc.sample(text, { numRuns: 60, seed: 7 });
  const verbatim = values.map((value, i) => [`V${i}`, { value, verbatim: true }] as const);
  const { stdout } = print(run, Object.fromEntries(verbatim), values.length);
  expect(stdout).toEqual(values);
  const quoted = values.map((value) => ` ${value.replace(/[$`\\]/g, '')}`);
  const plain = quoted.map((value, i) => [`V${i}`, value] as const);
  expect(print(run, Object.fromEntries(plain), quoted.length).stdout).toEqual(quoted);
});

type Run = ReturnType<typeof openEnvironment>['run'];

function print(run: Run, variables: NonNullable<CommandFixture['variables']>, count: number) {
  const scripts = [`for i in $(seq 0 ${count - 1}); do n=V$i; printf '%s\\a' "\${!n}"; done; echo`];
  const { lines } = run({ variables, scripts });
  return { stdout: lines.join('\n').split('\u0007').slice(0, -1) };
}

test.each([
  ['exit 7', 7],
  ['false', 1],
  ['true', 0],
  ['false | true', 1],
  ['no-such-command-anywhere', 127],
])('after `%s` the exit code is %i', (line, status) => {
  const { run } = openEnvironment();
  expect(run({ scripts: [line, 'exit'] }).status).toBe(status);
});

test('a working directory is inside the workspace and may hold blanks and other letters', () => {
  const { run, workspace } = openEnvironment();
  const directory = 'süb dir (1)/d';
  run({ scripts: [`mkdir -p '${directory}'`] });
  const { lines } = run({ sequence: 1, 'working-directory': directory, scripts: ['pwd'] });
  expect(lines).toEqual([join(workspace, directory)]);
});

test('a working directory that does not exist fails the step', () => {
  const { run } = openEnvironment();
  const { status, lines } = run({ 'working-directory': 'nowhere', scripts: ['echo ran'] });
  expect({ status, lines }).toEqual({ status: 1, lines: [] });
});

// Language 3.4: The release deletes the workspace and the scripts of the job.
test('the release removes workspace, scripts and variables of its job only', () => {
  const { run, root, work, workspace } = openEnvironment();
  writeFileSync(join(root, 'other_0.sh'), '');
  run({ scripts: ['echo data > file'] });
  run({ sequence: 1, scripts: ['false'] });
  expect(run({ sequence: -2 })).toMatchObject({ status: 0, lines: [], stderr: '' });
  expect(existsSync(workspace)).toBe(false);
  expect(existsSync(work)).toBe(true);
  const left = spawnSync('ls', [root], { encoding: 'utf8' }).stdout;
  expect(left).toBe('other_0.sh\n');
});

test('a job that never ran a step is released too', () => {
  const { run } = openEnvironment();
  expect(run({ sequence: -2 })).toMatchObject({ status: 0, stderr: '' });
});

test('a spoiled variables file fails the next step, but not the release', () => {
  const { run, workspace } = openEnvironment();
  run({ scripts: ['echo "export (" >> "$OPENTF_VARIABLES"'] });
  expect(run({ sequence: 1, scripts: ['echo ran'] })).not.toMatchObject({ status: 0 });
  expect(run({ sequence: -2 }).status).toBe(0);
  expect(existsSync(workspace)).toBe(false);
});

test('a teardown hook may keep the workspace', () => {
  const { run, workspace } = openEnvironment();
  run({});
  const { lines } = run({ sequence: -2, hooks: { channel: 'teardown', 'keep-workspace': true } });
  expect(lines).toEqual([`Keeping workspace '${workspace}' on execution environment`]);
  expect(existsSync(workspace)).toBe(true);
});

test('a teardown hook that does not keep it runs without a workspace', () => {
  const { run, work, workspace } = openEnvironment();
  run({});
  const hooks = { channel: 'teardown', 'keep-workspace': false };
  expect(run({ sequence: 1, hooks, scripts: ['pwd'] }).lines).toEqual([work]);
  expect(existsSync(workspace)).toBe(false);
  expect(run({ sequence: -2, hooks }).status).toBe(0);
  expect(existsSync(work)).toBe(true);
});

test('a setup hook runs without a workspace, or in the one that it names', () => {
  const { run, work } = openEnvironment();
  expect(run({ hooks: { channel: 'setup' }, scripts: ['pwd'] }).lines).toEqual([work]);
  const named = run({
    sequence: 1,
    hooks: { channel: 'setup', 'use-workspace': "it's mine" },
    scripts: ['pwd'],
  });
  expect(named.lines).toEqual([
    "Using workspace 'it's mine' on execution environment",
    join(work, "it's mine"),
  ]);
  expect(run({ sequence: 2, scripts: ['pwd'] }).lines).toEqual([join(work, "it's mine")]);
});

test('a setup hook may name a workspace by an absolute path', () => {
  const { run, root } = openEnvironment();
  const path = join(root, 'shared');
  const hooks = { channel: 'setup', 'use-workspace': path };
  expect(run({ hooks, scripts: ['pwd'] }).lines.at(-1)).toBe(path);
});

test('scripts may be kept in a directory relative to where commands run', () => {
  const { run, work, workspace } = openEnvironment();
  mkdirSync(join(work, 'my scripts'));
  const start = (fixture: CommandFixture) => {
    const script = buildScript(executionCommand(fixture), { os: 'linux', root: 'my scripts' });
    writeFileSync(join(work, 'my scripts', script.filename), script.content);
    return spawnSync('/bin/sh', ['-c', script.command], { cwd: work, encoding: 'utf8' });
  };
  start({ scripts: ['echo "export A=1" >> "$OPENTF_VARIABLES"'] });
  expect(start({ sequence: 1, scripts: ['echo $A; pwd'] }).stdout).toBe(`1\n${workspace}\n`);
  expect(start({ sequence: -2 }).status).toBe(0);
  expect(spawnSync('ls', [join(work, 'my scripts')], { encoding: 'utf8' }).stdout).toBe('');
  expect(run({ scripts: ['true'] }).status).toBe(0);
});

test('other shells get the lines as they are, and give their exit code', () => {
  const { run, workspace } = openEnvironment();
  const python = run({
    shell: 'python',
    scripts: ['import os, sys', 'print(os.getcwd())', 'print("$HOME `x` \\\\ é")', 'sys.exit(5)'],
  });
  expect(python).toMatchObject({ status: 5, lines: [workspace, '$HOME `x` \\ é'] });
});

test('plain sh stops at the first error; a template names the place of the file', () => {
  const { run } = openEnvironment();
  expect(run({ shell: 'sh', scripts: ['echo "$0"', 'false', 'echo no'] })).toMatchObject({
    status: 1,
    lines: [`${JOB_ID}_shell_script_0`],
  });
  expect(
    run({ sequence: 1, shell: 'cat -n {0}', scripts: ['END_OF_STEP_SCRIPT', 'b'] }),
  ).toMatchObject({
    status: 0,
    lines: ['     1\tEND_OF_STEP_SCRIPT', '     2\tb'],
  });
});

// Language 3.5: PowerShell stops at errors and gives the last exit code.
test('powershell gets a script that stops at errors and gives the last exit code', () => {
  const command = executionCommand({ shell: 'pwsh', scripts: ['Get-Date'] });
  const { content } = buildScript(command, { os: 'linux', root: null });
  const file = `${JOB_ID}_shell_script_0.ps1`;
  expect(content.split('\n').slice(-7)).toEqual([
    `cat > ${file} <<'END_OF_STEP_SCRIPT'`,
    "$ErrorActionPreference = 'Stop'",
    'Get-Date',
    'if (Test-Path -LiteralPath variable:LASTEXITCODE) { exit $LASTEXITCODE }',
    'END_OF_STEP_SCRIPT',
    `pwsh -command ". './${file}'"`,
    '',
  ]);
});
