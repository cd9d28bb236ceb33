/** The statements of the wire facts on scripts, 3.3 to 3.6. They are tested to the letter, for each file and line. */
import { describe, expect, test } from 'vitest';
import { type CommandFixture, executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';

const UNIX = { os: 'linux', root: '/scripts' } as const;
const WINDOWS = { os: 'windows', root: 'C:\\scripts' } as const;

const unix = (fixture: CommandFixture) => buildScript(executionCommand(fixture), UNIX);
const windows = (fixture: CommandFixture) => buildScript(executionCommand(fixture), WINDOWS);
const linesOf = ({ content }: { readonly content: string }) => content.split(/\r?\n/).slice(0, -1);

/** True when the lines occur in this order. */
function isInOrder(lines: readonly string[], expected: readonly string[]): boolean {
  let from = 0;
  return expected.every((line) => {
    from = lines.indexOf(line, from) + 1;
    return from > 0;
  });
}

describe('3.3', () => {
  test.each([
    ['linux', null, `/tmp/${JOB_ID}_dynamic_env.sh`],
    ['macos', null, `/tmp/${JOB_ID}_dynamic_env.sh`],
    ['windows', null, `%TEMP%\\${JOB_ID}_dynamic_env.cmd`],
    ['linux', '/opt/agent', `/opt/agent/${JOB_ID}_dynamic_env.sh`],
    ['windows', 'D:\\agent', `D:\\agent\\${JOB_ID}_dynamic_env.cmd`],
    // Language 3.3: The directory of scripts: the one that is given, or that of the system.
    // Language 3.3: The variables file.
  ] as const)('the root on %s is %s or the default: variables are in %s', (os, root, path) => {
    expect(buildScript(executionCommand(), { os, root }).variablesPath).toBe(path);
  });

  test.each([
    [0, 'sh', 'cmd'],
    [12, 'sh', 'cmd'],
    [-2, 'sh', 'cmd'],
    // Language 3.3: Names of scripts have the job and the number with its sign.
  ])('the file of command %i has the number with its sign in its name', (sequence, sh, cmd) => {
    expect(unix({ sequence }).filename).toBe(`${JOB_ID}_${sequence}.${sh}`);
    expect(windows({ sequence }).filename).toBe(`${JOB_ID}_${sequence}.${cmd}`);
  });

  // Language 3.3: Command lines of bash and cmd.
  test('the command line is the one that agents and operators know', () => {
    expect(unix({ sequence: -2 }).command).toBe(
      `exec bash --noprofile --norc -eo pipefail "/scripts/${JOB_ID}_-2.sh"`,
    );
    expect(windows({ sequence: -2 }).command).toBe(
      `%ComSpec% /D /E:ON /V:OFF /S /C "CALL "C:\\scripts\\${JOB_ID}_-2.cmd""`,
    );
  });

  // Language 3.3: Ends of lines.
  test('lines end with LF on unix and with CR LF on windows', () => {
    const fixture = { scripts: ['one\ntwo\r\nthree', 'four'] };
    expect(unix(fixture).content).toMatch(/\none\ntwo\nthree\nfour\n$/);
    expect(unix(fixture).content).not.toContain('\r');
    expect(windows(fixture).content).toMatch(/\r\none\r\ntwo\r\nthree\r\nfour\r\n$/);
    expect(windows(fixture).content.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  test('a carriage return within a line is part of it', () => {
    expect(linesOf(unix({ scripts: ['RS="\r" awk'] })).at(-1)).toBe('RS="\r" awk');
  });
});

describe('3.4', () => {
  const everything: CommandFixture = {
    variables: { JOB: 'job', STEP: 'step' },
    locals: ['STEP'],
    'working-directory': 'dir',
    scripts: ['make'],
  };

  // Language 1.5: Local variables win over what was left, those of workflow and job do not.
  // Language 3.4: First and last lines, and all between them, in their order.
  // Language 3.4: Variables, then the variables file, then local variables.
  test('what a script for unix has is in the order of the statements', () => {
    const lines = linesOf(unix(everything));
    expect(lines[0]).toBe('#!/usr/bin/env bash');
    const order = [
      `export OPENTF_VARIABLES=/scripts/${JOB_ID}_dynamic_env.sh`,
      'export OPENTF_ACTOR=dummy',
      'export CI=true',
      `[ -d ${JOB_ID} ] || mkdir -p ${JOB_ID}`,
      ': >> "$OPENTF_VARIABLES"',
      'export JOB=job',
      'if [ -f "$OPENTF_VARIABLES" ]; then . "$OPENTF_VARIABLES"; fi',
      'export STEP=step',
      'if [ -n "$OPENTF_WORKSPACE" ]; then cd "$OPENTF_WORKSPACE"; fi',
      'cd dir',
      'make',
    ];
    expect(isInOrder(lines, order), lines.join('\n')).toBe(true);
    expect(lines.at(-1)).toBe('make');
  });

  // Language 3.4: First and last lines, and all between them, in their order.
  test('what a script for windows has is in the order of the statements', () => {
    const lines = linesOf(windows(everything));
    expect(lines[0]).toBe('@echo off');
    const order = [
      `@set "OPENTF_VARIABLES=C:\\scripts\\${JOB_ID}_dynamic_env.cmd"`,
      '@set "OPENTF_ACTOR=dummy"',
      '@set "CI=true"',
      `if not exist "${JOB_ID}" mkdir "${JOB_ID}"`,
      'type nul >>"%OPENTF_VARIABLES%"',
      '@set "JOB=job"',
      'if exist "%OPENTF_VARIABLES%" call "%OPENTF_VARIABLES%"',
      '@set "STEP=step"',
      'if defined OPENTF_WORKSPACE cd /D "%OPENTF_WORKSPACE%"',
      'cd /D dir || exit /B 1',
      'make',
    ];
    expect(isInOrder(lines, order), lines.join('\n')).toBe(true);
    expect(lines.at(-1)).toBe('make');
  });

  // Language 3.4: Without a setup hook command 0 makes a directory with the id of the job.
  test('only command 0 makes a workspace', () => {
    for (const sequence of [1, 7, -2]) {
      expect(unix({ sequence }).content).not.toContain('mkdir');
      expect(windows({ sequence }).content).not.toContain('mkdir');
    }
  });

  test.each([
    ['dir', 'cd dir', 'cd /D dir || exit /B 1'],
    ['a/b', 'cd a/b', 'cd /D a\\b || exit /B 1'],
    ['my dir', 'cd "my dir"', 'cd /D "my dir" || exit /B 1'],
    ['my dir/b', 'cd "my dir/b"', 'cd /D "my dir\\b" || exit /B 1'],
    ['$HOME/x', 'cd "$HOME/x"', 'cd /D $HOME\\x || exit /B 1'],
    ['~/x', 'cd ~/x', 'cd /D ~\\x || exit /B 1'],
    ['%TEMP%', 'cd %TEMP%', 'cd /D %TEMP% || exit /B 1'],
    ['-x', 'cd ./-x', 'cd /D -x || exit /B 1'],
    ['-', 'cd ./-', 'cd /D - || exit /B 1'],
    ['#x', 'cd ./#x', 'cd /D #x || exit /B 1'],
    ['build-*', 'cd build-*', 'cd /D build-* || exit /B 1'],
    ['my $X', 'cd "my $X"', 'cd /D "my $X" || exit /B 1'],
    ['a&b', 'cd "a&b"', 'cd /D "a&b" || exit /B 1'],
    ['schöne daten', 'cd "schöne daten"', 'cd /D "schöne daten" || exit /B 1'],
    // Language 3.4: The working directory is entered, in quotes if it has blanks, with backslashes on Windows.
  ])('the working directory %j is entered with %j or %j', (directory, onUnix, onWindows) => {
    const fixture = { 'working-directory': directory };
    expect(linesOf(unix(fixture))).toContain(onUnix);
    expect(linesOf(windows(fixture))).toContain(onWindows);
  });

  test('without a working directory a script stays in the workspace', () => {
    const changes = linesOf(unix({ 'working-directory': '' })).filter((line) => /^cd /.test(line));
    expect(changes).toEqual([]);
  });
});

describe('3.5', () => {
  const file = `${JOB_ID}_shell_script_0`;

  /** Lines that only a script of its own needs. */
  const detours = (content: string) => /_shell_script_|certutil/.test(content);

  test.each([
    ['unix', 'bash'],
    ['unix', undefined],
    ['windows', 'cmd'],
    ['windows', undefined],
    // Language 1.7: The shells are bash, and cmd on Windows.
    // Language 3.4: The lines follow where the shell is that of the system.
  ])('on %s the lines for %s are lines of the script itself', (os, shell) => {
    const build = os === 'unix' ? unix : windows;
    const { content } = build({ scripts: ['a', 'b'], ...(shell === undefined ? {} : { shell }) });
    expect(linesOf({ content }).slice(-2)).toEqual(['a', 'b']);
    expect(detours(content)).toBe(false);
  });

  test.each([
    ['python', `"$(command -v python || command -v python3 || echo python)" ${file}`],
    ['pwsh', `pwsh -command ". './${file}.ps1'"`],
    ['powershell', `powershell -command ". './${file}.ps1'"`],
    ['cmd', "echo 'The shell cmd is there on Windows only.' >&2; exit 127"],
    ['sh', `sh -e ${file}`],
    ['perl {0}', `perl ${file}`],
    ['node --test {0} -- {0}', `node --test ${file} -- ${file}`],
    ['ruby', `ruby ${file}`],
    // Language 3.5: The command for each shell, and templates with `{0}`.
  ])('on unix %s runs its file so', (shell, command) => {
    expect(linesOf(unix({ shell, scripts: ['x'] })).at(-1)).toBe(command);
  });

  test.each([
    [
      'bash',
      `"%USERPROFILE%\\AppData\\Local\\Programs\\Git\\bin\\bash" --noprofile --norc -eo pipefail "${file}"`,
    ],
    ['python', `python ${file}`],
    ['pwsh', `pwsh -command ". './${file}.ps1'"`],
    ['powershell', `powershell -command ". './${file}.ps1'"`],
    ['perl {0}', `perl ${file}`],
    // Language 3.5: The command for each shell, and templates with `{0}`.
  ])('on windows %s runs its file so', (shell, command) => {
    expect(linesOf(windows({ shell, scripts: ['x'] })).at(-1)).toBe(command);
  });

  test.each(['', 'x', 'print("%PATH% ^ & | < > !")', 'é€😀', '\u0000', '\r', 'a'.repeat(20_000)])(
    // Language 3.5: On Windows it is written in Base64.
    'on windows a file is written by lines that cmd can take, whatever it has (%#)',
    (script) => {
      const lines = linesOf(windows({ shell: 'python', scripts: [script] }));
      const echoes = lines.filter((line) => line.startsWith('>>"'));
      for (const line of lines) expect(line.length).toBeLessThan(8191);
      for (const line of echoes) expect(line).toMatch(/^>>"[\w.-]+" echo [A-Za-z0-9+/=]+$/);
      const encoded = echoes.map((line) => line.split(' ').at(-1)).join('');
      expect(Buffer.from(encoded, 'base64').toString()).toBe(`${script}\r\n`);
    },
  );
});

describe('3.6', () => {
  const last = (lines: readonly string[], start: string) =>
    lines.find((line) => line.startsWith(start));

  /** [value, its line on unix, its line on windows], both plain and verbatim. */
  test.each<readonly [value: string, plain: [string, string], verbatim: [string, string]]>([
    ['', ['export V=', '@set "V="'], ["export V=''", '@set "V="']],
    ['plain', ['export V=plain', '@set "V=plain"'], ['export V=plain', '@set "V=plain"']],
    ['a b', ['export V="a b"', '@set "V=a b"'], ["export V='a b'", '@set "V=a b"']],
    ['a\tb', ['export V="a\tb"', '@set "V=a\tb"'], ["export V='a\tb'", '@set "V=a\tb"']],
    ['"a"', ['export V=\\"a\\"', '@set "V="a""'], [`export V='"a"'`, '@set "V="a""']],
    ['a "b"', ['export V="a \\"b\\""', '@set "V=a "b""'], [`export V='a "b"'`, '@set "V=a "b""']],
    ['$HOME', ['export V=$HOME', '@set "V=$HOME"'], ["export V='$HOME'", '@set "V=$HOME"']],
    ['`id`', ['export V=`id`', '@set "V=`id`"'], ["export V='`id`'", '@set "V=`id`"']],
    ['%A%', ['export V=%A%', '@set "V=%A%"'], ['export V=%A%', '@set "V=%%A%%"']],
    ['a^b', ['export V=a^b', '@set "V=a^b"'], ["export V='a^b'", '@set "V=a^^b"']],
    ['a&b', ['export V="a&b"', '@set "V=a&b"'], ["export V='a&b'", '@set "V=a^&b"']],
    ['<a>', ['export V="<a>"', '@set "V=<a>"'], ["export V='<a>'", '@set "V=^<a^>"']],
    ["it's", [`export V="it's"`, `@set "V=it's"`], [`export V='it'"'"'s'`, `@set "V=it's"`]],
    ['é€😀', ['export V=é€😀', '@set "V=é€😀"'], ["export V='é€😀'", '@set "V=é€😀"']],
    // Language 3.6: Lines on unix: plain values, in quotes if they have blanks.
    // Language 3.6: Lines on unix: verbatim values.
    // Language 3.6: Lines on Windows, plain and verbatim.
  ])('the value %j', (value, plain, verbatim) => {
    for (const [isVerbatim, [onUnix, onWindows]] of [
      [false, plain],
      [true, verbatim],
    ] as const) {
      const fixture = { variables: { V: { value, verbatim: isVerbatim } } };
      expect(last(linesOf(unix(fixture)), 'export V=')).toBe(onUnix);
      expect(last(linesOf(windows(fixture)), '@set "V=')).toBe(onWindows);
    }
  });

  // Language 3.6: Lines on Windows, plain and verbatim.
  test('a line feed is part of a value on unix, and a blank on windows', () => {
    const fixture = { variables: { V: 'a\nb', W: { value: 'a\r\nb', verbatim: true } } };
    expect(unix(fixture).content).toContain(`export V="a\nb"\nexport W='a\r\nb'\n`);
    expect(linesOf(windows(fixture))).toEqual(
      expect.arrayContaining(['@set "V=a b"', '@set "W=a b"']),
    );
  });

  test('a variable that no line of cmd can hold ends the step, with its name', () => {
    const fits = 'x'.repeat(8191 - '@set "V="'.length);
    expect(linesOf(windows({ variables: { V: fits } }))).toContain(`@set "V=${fits}"`);
    const lines = linesOf(windows({ variables: { V: `${fits}x` }, scripts: ['make'] }));
    const at = lines.indexOf(
      'echo The variable V is longer than a line of cmd may be (8191 characters). 1>&2',
    );
    expect(lines[at + 1]).toBe('exit /B 1');
    for (const line of lines) expect(line.length).toBeLessThan(8191);
  });
});
