import { expect, test } from 'vitest';
import { executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';

const LINUX = { os: 'linux', root: null } as const;

const places = [
  {
    environment: LINUX,
    filename: `/tmp/${JOB_ID}_3.sh`,
    command: `exec bash --noprofile --norc -eo pipefail "/tmp/${JOB_ID}_3.sh"`,
    script: `/tmp/${JOB_ID}_3.sh`,
    variablesPath: `/tmp/${JOB_ID}_dynamic_env.sh`,
  },
  {
    environment: { os: 'macos', root: '/Users/zoë/my scripts/' },
    filename: `${JOB_ID}_3.sh`,
    command: `exec bash --noprofile --norc -eo pipefail "/Users/zoë/my scripts/${JOB_ID}_3.sh"`,
    script: `/Users/zoë/my scripts/${JOB_ID}_3.sh`,
    variablesPath: `/Users/zoë/my scripts/${JOB_ID}_dynamic_env.sh`,
  },
  {
    environment: { os: 'linux', root: '/odd/$HOME"`' },
    filename: `${JOB_ID}_3.sh`,
    command: `exec bash --noprofile --norc -eo pipefail "/odd/\\$HOME\\"\\\`/${JOB_ID}_3.sh"`,
    script: `/odd/$HOME"\`/${JOB_ID}_3.sh`,
    variablesPath: `/odd/$HOME"\`/${JOB_ID}_dynamic_env.sh`,
  },
  {
    environment: { os: 'windows', root: null },
    filename: `${JOB_ID}_3.cmd`,
    command: `%ComSpec% /D /E:ON /V:OFF /S /C "CALL "%TEMP%\\${JOB_ID}_3.cmd""`,
    script: null,
    variablesPath: `%TEMP%\\${JOB_ID}_dynamic_env.cmd`,
  },
  {
    environment: { os: 'windows', root: 'C:\\Zoë\\my scripts\\' },
    filename: `${JOB_ID}_3.cmd`,
    command: `%ComSpec% /D /E:ON /V:OFF /S /C "CALL "C:\\Zoë\\my scripts\\${JOB_ID}_3.cmd""`,
    script: null,
    variablesPath: `C:\\Zoë\\my scripts\\${JOB_ID}_dynamic_env.cmd`,
  },
] as const;

test.each(places)(
  'on $environment.os with root $environment.root, files and command line are those that agents know',
  ({ environment, filename, command, script, variablesPath }) => {
    const words =
      script === null ? null : ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script];
    expect(buildScript(executionCommand({ sequence: 3 }), environment)).toMatchObject({
      filename,
      command,
      words,
      variablesPath,
    });
  },
);

// Language 3.3: Names of scripts have the job and the number with its sign.
test('the release script has the name that agents look for', () => {
  const release = executionCommand({ sequence: -2 });
  expect(buildScript(release, LINUX).filename).toBe(`/tmp/${JOB_ID}_-2.sh`);
  expect(buildScript(release, { os: 'windows', root: null }).filename).toBe(`${JOB_ID}_-2.cmd`);
});

test('lines end as the system wants, also within one entry of scripts', () => {
  const command = executionCommand({ scripts: ['echo 1\necho 2\r\necho 3'] });
  expect(buildScript(command, LINUX).content).toContain('\necho 1\necho 2\necho 3\n');
  expect(buildScript(command, LINUX).content).not.toContain('\r');
  const windows = buildScript(command, { os: 'windows', root: null }).content;
  expect(windows).toContain('\r\necho 1\r\necho 2\r\necho 3\r\n');
  expect(windows.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});

// Language 3.4: First and last lines, and all between them, in their order.
test('a script for linux is exactly this', () => {
  const command = executionCommand({
    variables: {
      GREETING: 'hello $USER',
      PRICE: { value: '5 $', verbatim: true },
      ONLY_HERE: 'x',
    },
    locals: ['ONLY_HERE'],
    'working-directory': 'my tests',
    scripts: ['make'],
  });
  expect(buildScript(command, LINUX).content).toBe(
    [
      '#!/usr/bin/env bash',
      'unset OPENTF_WORKSPACE',
      `export OPENTF_VARIABLES=/tmp/${JOB_ID}_dynamic_env.sh`,
      'export OPENTF_ACTOR=dummy',
      'export CI=true',
      `[ -d ${JOB_ID} ] || mkdir -p ${JOB_ID}`,
      ': >> "$OPENTF_VARIABLES"',
      `printf 'export OPENTF_WORKSPACE=%q\\n' "$PWD"/${JOB_ID} >> "$OPENTF_VARIABLES"`,
      'export GREETING="hello $USER"',
      "export PRICE='5 $'",
      'if [ -f "$OPENTF_VARIABLES" ]; then . "$OPENTF_VARIABLES"; fi',
      'export ONLY_HERE=x',
      'if [ -n "$OPENTF_WORKSPACE" ]; then cd "$OPENTF_WORKSPACE"; fi',
      'cd "my tests"',
      'make',
      '',
    ].join('\n'),
  );
});

test.each([
  ['a release', { sequence: -2 }, { directory: JOB_ID, prefix: `${JOB_ID}_`, suffix: '.sh' }],
  ['a step', { sequence: 3 }, null],
  [
    'a release that keeps the workspace, which it says',
    { sequence: -2, hooks: { channel: 'teardown', 'keep-workspace': true } },
    null,
  ],
] as const)('%s removes %#', (_what, fixture, removal) => {
  const command = executionCommand(fixture);
  expect(buildScript(command, LINUX).removal).toEqual(removal);
  // There a script cannot delete itself, which is more than to remove.
  expect(buildScript(command, { os: 'windows', root: null }).removal).toBe(null);
});
