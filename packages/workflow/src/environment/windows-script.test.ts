import { expect, test } from 'vitest';
import { type CommandFixture, executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';

const ROOT = 'C:\\Zoë\\my scripts';
const VARIABLES = `${ROOT}\\${JOB_ID}_dynamic_env.cmd`;

function linesOf(fixture: CommandFixture, root: string | null = ROOT, encoding = 'utf-8') {
  const { content } = buildScript(executionCommand(fixture), { os: 'windows', root, encoding });
  expect(content.endsWith('\r\n')).toBe(true);
  return content.slice(0, -2).split('\r\n');
}

const HEAD = [
  '@echo off',
  'chcp 65001 >nul',
  '@set "OPENTF_WORKSPACE="',
  `@set "OPENTF_VARIABLES=${VARIABLES}"`,
  '@set "OPENTF_ACTOR=dummy"',
  '@set "CI=true"',
];
const READ_VARIABLES = 'if exist "%OPENTF_VARIABLES%" call "%OPENTF_VARIABLES%"';
const ENTER = 'if defined OPENTF_WORKSPACE cd /D "%OPENTF_WORKSPACE%"';
const FIND_WORKSPACE = `if not defined OPENTF_WORKSPACE if exist "${JOB_ID}" set "OPENTF_WORKSPACE=%CD%\\${JOB_ID}"`;
const DELETE = `if exist "${JOB_ID}" rmdir /S /Q "${JOB_ID}"`;
const LEAVE = [
  `start "" /B "%ComSpec%" /D /S /C "ping -n 3 127.0.0.1 & del /Q "${ROOT}\\${JOB_ID}_*.cmd"" >nul 2>nul`,
  'exit /B 0',
];
const record = (path: string) => `echo set "OPENTF_WORKSPACE=${path}">>"%OPENTF_VARIABLES%"`;

// Language 1.5: The shell of the environment expands values that are not verbatim.
test('the first step makes a workspace and runs in it', () => {
  const command = {
    variables: { A: 'job %B%', C: { value: '50% & <more>', verbatim: true }, D: 'step' },
    locals: ['D'],
    'working-directory': 'my tests/unit',
    scripts: ['call mvn test', 'echo done'],
  };
  expect(linesOf(command)).toEqual([
    ...HEAD,
    `if not exist "${JOB_ID}" mkdir "${JOB_ID}"`,
    'type nul >>"%OPENTF_VARIABLES%"',
    record(`%CD%\\${JOB_ID}`),
    '@set "A=job %B%"',
    '@set "C=50%% ^& ^<more^>"',
    READ_VARIABLES,
    '@set "D=step"',
    ENTER,
    'cd /D "my tests\\unit" || exit /B 1',
    'call mvn test',
    'echo done',
  ]);
});

test('a secret arrives as it is, and another verbatim variable with carets', () => {
  const value = 'a^b&c%d';
  const variables = { PW: { value, verbatim: true }, V: { value, verbatim: true } };
  const command = executionCommand({ variables });
  const metadata = { ...command.metadata, 'tutti.secrets': ['PW'] };
  const { content } = buildScript({ ...command, metadata }, { os: 'windows', root: ROOT });
  expect(content).toContain('@set "PW=a^b&c%%d"');
  expect(content).toContain('@set "V=a^^b^&c%%d"');
});

test('a later step runs in the same workspace', () => {
  const later = { sequence: 4, 'working-directory': 'a/b', scripts: ['dir'] };
  expect(linesOf(later)).toEqual([
    ...HEAD,
    READ_VARIABLES,
    FIND_WORKSPACE,
    ENTER,
    'cd /D a\\b || exit /B 1',
    'dir',
  ]);
});

test.each<{ name: string; fixture: CommandFixture; lines: readonly string[] }>([
  {
    // Language 3.4: The release deletes the workspace and the scripts of the job.
    name: 'the release deletes the workspace, then the scripts',
    fixture: { sequence: -2 },
    lines: [DELETE, ...LEAVE],
  },
  {
    // Language 3.4: The release keeps a workspace that a hook wants kept, and says so.
    name: 'the release keeps a workspace that a hook wants kept',
    fixture: { sequence: -2, hooks: { channel: 'teardown', 'keep-workspace': true } },
    lines: [
      READ_VARIABLES,
      FIND_WORKSPACE,
      'setlocal EnableDelayedExpansion',
      "echo Keeping workspace '!OPENTF_WORKSPACE!' on execution environment",
      'endlocal',
      ...LEAVE,
    ],
  },
  {
    // Language 3.4: A teardown hook that keeps nothing deletes the workspace, records `.` and stays.
    name: 'a teardown hook may delete the workspace early',
    fixture: { sequence: 5, hooks: { channel: 'teardown', 'keep-workspace': false } },
    lines: [READ_VARIABLES, FIND_WORKSPACE, DELETE, record('%CD%\\.')],
  },
  {
    name: 'a setup hook runs where it is',
    fixture: { hooks: { channel: 'setup' } },
    lines: ['type nul >>"%OPENTF_VARIABLES%"', record('%CD%\\.'), READ_VARIABLES, ENTER],
  },
  {
    name: 'a setup hook may name the workspace',
    fixture: { sequence: 1, hooks: { channel: 'setup', 'use-workspace': 'd:/build & test' } },
    lines: [
      'if not exist "d:\\build & test" mkdir "d:\\build & test"',
      'type nul >>"%OPENTF_VARIABLES%"',
      record('d:\\build & test'),
      "echo Using workspace 'd:\\build ^& test' on execution environment",
      READ_VARIABLES,
      FIND_WORKSPACE,
      ENTER,
    ],
  },
])('$name', ({ fixture, lines }) => {
  expect(linesOf(fixture)).toEqual([...HEAD, ...lines]);
});

test('the code page stays for an agent that reads output in another encoding', () => {
  expect(linesOf({}, ROOT, 'cp850')).not.toContain('chcp 65001 >nul');
  expect(linesOf({}, ROOT, 'UTF8')).toContain('chcp 65001 >nul');
});

test('scripts in a relative directory are found after the directory changed', () => {
  expect(linesOf({}, 'scripts')).toContain(
    `@set "OPENTF_VARIABLES=%CD%\\scripts\\${JOB_ID}_dynamic_env.cmd"`,
  );
  expect(linesOf({}, null)).toContain(`@set "OPENTF_VARIABLES=%TEMP%\\${JOB_ID}_dynamic_env.cmd"`);
});

const FILE = `${JOB_ID}_shell_script_0`;

test.each([
  ['python', FILE, `python ${FILE}`, 'print(1)\r\n'],
  [
    'bash',
    FILE,
    `"%USERPROFILE%\\AppData\\Local\\Programs\\Git\\bin\\bash" --noprofile --norc -eo pipefail "${FILE}"`,
    'print(1)\n',
  ],
  [
    'powershell',
    `${FILE}.ps1`,
    `powershell -command ". './${FILE}.ps1'"`,
    "\uFEFF$ErrorActionPreference = 'Stop'\r\nprint(1)\r\nif (Test-Path -LiteralPath variable:LASTEXITCODE) { exit $LASTEXITCODE }\r\n",
  ],
  ['perl -w {0}', FILE, `perl -w ${FILE}`, 'print(1)\r\n'],
  // Language 3.5: Lines for other shells go through a file with its name, where the step runs.
])('lines for %s go through a file', (shell, file, command, content) => {
  const lines = linesOf({ shell, scripts: ['print(1)'] });
  const encoded = Buffer.from(content).toString('base64');
  expect(lines.slice(lines.indexOf(ENTER) + 1)).toEqual([
    `type nul >"${file}.b64"`,
    `>>"${file}.b64" echo ${encoded}`,
    `certutil -f -decode "${file}.b64" "${file}" >nul`,
    `del /Q "${file}.b64"`,
    command,
  ]);
});

// Language 3.5: On Windows it is written in Base64.
test('a long script for another shell is split, since a line of cmd has a limit', () => {
  const script = 'x = "é"; '.repeat(5000);
  const lines = linesOf({ shell: 'python', scripts: [script] });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(8191);
  const encoded = lines
    .filter((line) => line.startsWith('>>"'))
    .map((line) => line.split(' ').at(-1));
  expect(Buffer.from(encoded.join(''), 'base64').toString()).toBe(`${script}\r\n`);
});

test('cmd is the language of the script itself', () => {
  expect(linesOf({ sequence: 1, shell: 'cmd', scripts: ['dir'] })).toEqual([
    ...HEAD,
    READ_VARIABLES,
    FIND_WORKSPACE,
    ENTER,
    'dir',
  ]);
});
