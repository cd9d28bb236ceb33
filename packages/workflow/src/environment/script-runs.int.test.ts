// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's variables are written so.
/** Effects of the statements of wire facts 3.4 to 3.8, in the shells that this machine has. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommandFixture, JOB_ID } from './execution-command.fixture.ts';
import { recordedWorkspace, variablesAsSeen } from './recorded-workspace.ts';
import { openEnvironment } from './unix-environment.fixture.ts';
import { parseVariablesFile } from './variables-file.ts';

/** Output of printf for the variable V, given as a value. */
function shownOf(variables: NonNullable<CommandFixture['variables']>): string {
  const { run } = openEnvironment();
  const { lines, status, stderr } = run({ variables, scripts: ['printf "%s|\\n" "$V"'] });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return lines.join('\n').slice(0, -1);
}

describe('3.6: a plain value', () => {
  test.each([
    ['blanks', '  a   b\t', '  a   b\t'],
    ['line feeds', 'a\n\nb\n', 'a\n\nb\n'],
    ['double quotes', 'say "hi" to "you"', 'say "hi" to "you"'],
    ['JSON without blanks', '{"a":1,"b":[1,2]}', '{"a":1,"b":[1,2]}'],
    ['JSON with blanks', '{"a": {"b": "c d"}}', '{"a": {"b": "c d"}}'],
    ['one apostrophe', "it's", "it's"],
    ['two apostrophes', "it's Zoë's", "it's Zoë's"],
    ['braces', 'a{b,c}{1..3}', 'a{b,c}{1..3}'],
    ['patterns', '*.sh [a-z] ?', '*.sh [a-z] ?'],
    ['patterns without blanks', '/*', '/*'],
    ['percent signs and carets', '%PATH%^&|<>', '%PATH%^&|<>'],
    ['a comment', '#a #b', '#a #b'],
    ['an exclamation mark', 'hi!! there!', 'hi!! there!'],
    ['backslashes', 'C:\\dir name\\', 'C:\\dir name\\'],
    ['a path of windows', 'C:\\Program Files\\x "y"', 'C:\\Program Files\\x "y"'],
    ['equals signs', 'a=b=c', 'a=b=c'],
    ['other letters', 'é€😀 日本', 'é€😀 日本'],
    ['a dash', '-n', '-n'],
  ])('with %s comes as it is', (_, value, expected) => {
    expect(shownOf({ V: value })).toBe(expected);
  });

  test.each([
    ['a variable', '$CI', 'true'],
    ['a variable in a longer text', 'is $CI', 'is true'],
    ['a variable in braces', '${CI}{x}', 'true{x}'],
    ['a command', '$(echo a b)', 'a b'],
    ['a command in backquotes', '`echo a b`', 'a b'],
    ['an earlier variable of the same level', '<$A>', '<first>'],
  ])('with %s expands', (_, value, expected) => {
    expect(shownOf({ A: 'first', V: value })).toBe(expected);
  });

  test('with a tilde expands to the home of the user', () => {
    expect(shownOf({ V: '~/x' })).toMatch(/^\/.*\/x$/);
  });

  test('with any text but the signs of the shell comes as it is', () => {
    const text = fc.stringMatching(/^[ -#%&(-[\]-_a-}éλ\n\t]{0,20}$/);
    for (const value of fc.sample(text, { numRuns: 25, seed: 42 })) {
      expect(shownOf({ V: value })).toBe(value);
    }
  });
});

describe('3.6: a verbatim value', () => {
  test.each([
    '$CI ${CI} $(id) `id`',
    "it's",
    `"'"'`,
    '\\',
    'a\nb\\\n',
    '~/x',
    '{a,b}',
    '*',
    '!x',
    'é€😀',
    '',
  ])('%j comes as it is', (value) => {
    expect(shownOf({ V: { value, verbatim: true } })).toBe(value);
  });

  test('loses NUL characters, which no variable can have', () => {
    expect(shownOf({ V: { value: 'a\0b', verbatim: true } })).toBe('ab');
  });
});

describe('3.4: a script', () => {
  test.each<[string, string, readonly string[]]>([
    ['without a line end at its end', 'echo a', ['a']],
    ['with CR LF', 'echo a\r\necho b\r\n', ['a', 'b']],
    ['that is empty', '', []],
    ['of comments alone', '# nothing', []],
    ['with a here-document', 'cat <<EOF\n$CI\nEOF', ['true']],
    ['with a here-document of CR LF', "cat <<'EOF'\r\n$CI\r\nEOF\r\n", ['$CI']],
    ['with a quoted text of several lines', "echo 'a\n  b'", ['a', '  b']],
    ['with a continued line', 'echo a \\\n  b', ['a b']],
    ['with a function and a trap', 'f() { echo "$1"; }; trap "f end" EXIT; f a', ['a', 'end']],
    ['with arrays of bash', 'a=(x y); echo "${a[1]} ${#a[@]}"', ['y 2']],
    ['with other letters', 'echo "é€😀"', ['é€😀']],
    ['that reads its input', 'cat; echo end', ['end']],
  ])('%s runs', (_, script, expected) => {
    const { run } = openEnvironment();
    expect(run({ scripts: [script] })).toMatchObject({ status: 0, lines: expected, stderr: '' });
  });

  test('of a mebibyte runs', () => {
    const { run } = openEnvironment();
    const scripts = ['s=0', ...Array(100_000).fill('s=$((s+1))'), 'echo $s'];
    expect(scripts.join('\n').length).toBeGreaterThan(1024 * 1024);
    expect(run({ scripts })).toMatchObject({ status: 0, lines: ['100000'] });
  });

  // Language 1.7: Each `run` is a process of its own.
  test('may end the shell, change directory and set options as it likes', () => {
    const { run, workspace } = openEnvironment();
    run({ scripts: ['set +e +o pipefail -u; cd /; OPENTF_WORKSPACE=/; exit 0'] });
    expect(run({ sequence: 1, scripts: ['pwd'] }).lines).toEqual([workspace]);
  });

  test('does not see a workspace that the agent itself runs in', () => {
    const { run, workspace } = openEnvironment({ OPENTF_WORKSPACE: '/' });
    expect(run({ scripts: ['pwd'] }).lines).toEqual([workspace]);
  });

  test.each([
    ['$HERE', 'a  b'],
    ['${HERE}/c', 'a  b/c'],
    ['./$HERE', 'a  b'],
    ['`echo "$HERE"`', 'a  b'],
    ['a*/c', 'a  b/c'],
    ['$UNKNOWN', '.'],
  ])('expands %s in its working directory', (written, directory) => {
    const { run, workspace } = openEnvironment();
    run({ scripts: ['mkdir -p "a  b/c"'] });
    const { lines } = run({
      sequence: 1,
      variables: { HERE: 'a  b' },
      'working-directory': written,
      scripts: ['pwd'],
    });
    expect(lines).toEqual([join(workspace, directory)]);
  });

  test.each(['dir', 'my dir', "it's", 'a "b" c', '-x', '-', '#x', 'é€', 'a&b;c|d', '$x', '*', '~'])(
    'runs in the working directory %j',
    (directory) => {
      const { run, workspace } = openEnvironment();
      run({});
      mkdirSync(join(workspace, directory));
      // Escapes the signs that the shell would expand.
      const written = directory.replace(/^[$*~]/, '\\$&');
      const { lines, stderr } = run({
        sequence: 1,
        'working-directory': written,
        scripts: ['pwd'],
      });
      expect({ lines, stderr }).toEqual({ lines: [join(workspace, directory)], stderr: '' });
    },
  );
});

describe('3.5: another shell', () => {
  const files = (folder: string) => readdirSync(folder).sort();

  test.each<[string, string, readonly string[]]>([
    ['python', 'import sys\nprint(sys.argv[0])\nprint("""a\nb""")', ['FILE', 'a', 'b']],
    ['python', 'print("%s" % chr(233), \'é $HOME `id` \\\\ "\')', ['é é $HOME `id` \\ "']],
    ['sh', 'echo "$0"\ncase "$CI" in true) echo yes ;; esac', ['FILE', 'yes']],
    ['bash', 'echo "${BASH_VERSION:+bash}"', ['bash']],
    ['bash -u {0}', 'echo "$0 ${BASH_VERSION:+bash}"', ['FILE bash']],
    ['node {0}', 'console.log(require("path").basename(__filename))', ['FILE']],
    ['node', 'console.log(1)', ['1']],
    ['cat {0} {0}', 'x', ['x', 'x']],
    [
      'cat',
      'EOF\nEND_OF_STEP_SCRIPT\nEND_OF_STEP_SCRIPT_\nEOF',
      ['EOF', 'END_OF_STEP_SCRIPT', 'END_OF_STEP_SCRIPT_', 'EOF'],
    ],
    ['cat', '', ['']],
    ['wc -l', 'a\r\nb\r\nc', ['3 FILE']],
    // Language 3.5: Lines for other shells go through a file with its name, where the step runs.
  ])('%s runs its lines', (shell, script, expected) => {
    const { run, workspace } = openEnvironment();
    const file = `${JOB_ID}_shell_script_0`;
    const lines = expected.map((line) => line.replace('FILE', file));
    expect(run({ shell, scripts: [script] })).toMatchObject({ status: 0, lines, stderr: '' });
    expect(files(workspace)).toEqual(shell === 'bash' ? [] : [file]);
  });

  // Language 3.5: Lines for other shells go through a file with its name, where the step runs.
  test('has its file where it runs', () => {
    const { run, workspace } = openEnvironment();
    run({ scripts: ['mkdir "my dir"'] });
    run({ sequence: 1, shell: 'cat', 'working-directory': 'my dir', scripts: ['x'] });
    expect(files(join(workspace, 'my dir'))).toEqual([`${JOB_ID}_shell_script_1`]);
  });

  test.each([
    ['python', 'import sys; sys.exit(3)', 3],
    ['python', 'raise Exception("oops")', 1],
    ['sh', 'false; echo not here', 1],
    ['node {0}', 'process.exit(4)', 4],
    ['no-such-shell {0}', 'x', 127],
    ['cmd', 'dir', 127],
  ])('%s gives its exit code: %s', (shell, script, status) => {
    const { run } = openEnvironment();
    expect(run({ shell, scripts: [script] }).status).toBe(status);
  });

  test('python is python3 where there is no other', () => {
    const { root } = openEnvironment();
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const tool of ['bash', 'cat', 'mkdir', 'sh', 'touch']) {
      symlinkSync(`/bin/${tool}`, join(bin, tool));
    }
    const shown = () =>
      openEnvironment({ PATH: bin }).run({ shell: 'python', scripts: ['x'] }).lines;
    writeFileSync(join(bin, 'python3'), '#!/bin/sh\necho three\n', { mode: 0o755 });
    expect(shown()).toEqual(['three']);
    writeFileSync(join(bin, 'python'), '#!/bin/sh\necho any\n', { mode: 0o755 });
    expect(shown()).toEqual(['any']);
  });
});

test('3.6: a variable that bash cannot have keeps no step from running', () => {
  const variables = { '2FA': 'x', _2FA: 'y' };
  const { lines } = openEnvironment().run({ variables, scripts: ['echo "$_2FA"'] });
  expect(lines).toEqual([expect.stringContaining('"2FA"'), 'y']);
});

describe('3.7: the variables file', () => {
  test.each<[line: string, read: string, seen: string]>([
    ['export A=b', 'b', 'b'],
    ["export A='b c'", "'b c'", 'b c'],
    ['export A="b c"', '"b c"', 'b c'],
    [String.raw`export A=b\ \"c\"`, String.raw`b\ \"c\"`, 'b "c"'],
    ['A=b', 'b', 'b'],
    ['export A=b=c', 'b=c', 'b=c'],
    ['export A=é€', 'é€', 'é€'],
  ])(
    // Language 3.7: Quotes around a value are kept.
    'of the line %s results have %j, and expressions what later steps see: %j',
    (line, read, seen) => {
      const { run, variablesPath } = openEnvironment();
      run({ scripts: [`cat >> "$OPENTF_VARIABLES" <<'EOF'`, line, 'EOF'] });
      expect(run({ sequence: 1, scripts: ['echo "$A"'] }).lines).toEqual([seen]);
      const variables = parseVariablesFile(readFileSync(variablesPath, 'utf8').split('\n'));
      expect(variables).toMatchObject({ A: read, OPENTF_WORKSPACE: expect.anything() });
      expect(variablesAsSeen(variables, 'linux').A).toBe(seen);
    },
  );

  test.each(['rm "$OPENTF_VARIABLES"', 'echo "export V=1" > "$OPENTF_VARIABLES"'])(
    'may be removed or written anew by a step, and the workspace stays: %s',
    (script) => {
      const { run, work } = openEnvironment();
      const workspace = join(work, JOB_ID);
      run({ scripts: [script] });
      expect(run({ sequence: 1, scripts: ['pwd'] })).toMatchObject({
        status: 0,
        lines: [workspace],
      });
      expect(run({ sequence: -2 })).toMatchObject({ status: 0, stderr: '' });
      expect(existsSync(workspace)).toBe(false);
    },
  );

  test.each([
    'export PATH=/nowhere',
    'export A="$(head -c 200000 /dev/zero | tr "\\0" x)"',
    'exit 0',
    'false',
    'echo said',
    'set -u; unset HOME; cd /',
  ])('may have %s, and the environment is freed all the same', (line) => {
    const { run, work, variablesPath } = openEnvironment();
    run({ scripts: [`cat >> "$OPENTF_VARIABLES" <<'EOF'`, line, 'EOF'] });
    expect(existsSync(join(work, JOB_ID))).toBe(true);
    expect(run({ sequence: -2 })).toEqual({ status: 0, stderr: '', lines: [] });
    expect(existsSync(join(work, JOB_ID))).toBe(false);
    expect(existsSync(variablesPath)).toBe(false);
  });
});

describe('3.8: the status of a step', () => {
  test.each<[string, string, number]>([
    ['is 0 after success', 'true', 0],
    ['is the exit code', 'exit 42', 42],
    ['is that of a failing line, which ends the script', '(exit 3)\necho not here', 3],
    ['is that of any part of a pipe', '(exit 5) | cat', 5],
    ['is taken modulo 256', 'exit 257', 1],
    ['is that of an exit below zero', 'exit -1', 255],
    ['is 127 for a command that is not there', 'no-such-command-anywhere', 127],
    ['is 126 for a file that cannot be run', 'touch f; ./f', 126],
    ['is 137 after a program was killed', "sh -c 'kill -9 $$'", 137],
    ['is 143 after a program was ended', "sh -c 'kill -15 $$'", 143],
    ['is 2 for a script that cannot be parsed', 'if', 2],
    // Language 3.8: The status is the exit code.
  ])('%s: %s', (_, script, status) => {
    const { run } = openEnvironment();
    expect(run({ scripts: [script] })).toMatchObject({ status, lines: [] });
  });
});

test.each(['C', 'C.UTF-8'])(
  // Language 3.4: The whole path is recorded.
  '3.4: the workspace is read as the shell of %s records it',
  (locale) => {
    const { run, variablesPath, work } = openEnvironment({ LC_ALL: locale });
    const names = [
      'plain',
      'two words',
      `it's "x" $y`,
      'süß 日本',
      'a\nb',
      'tab\there',
      'back\\slash',
    ];
    for (const name of names) {
      const hooks = { channel: 'setup', 'use-workspace': name };
      expect(run({ hooks, scripts: ['true'] })).toMatchObject({ status: 0 });
      const recorded = readFileSync(variablesPath, 'utf8').split('\n');
      expect(recordedWorkspace(parseVariablesFile(recorded), 'linux')).toBe(`${work}/${name}`);
    }
  },
);

/** Few machines but those of Windows have PowerShell, so its behaviour is tested where it is installed. */
const hasPowerShell = spawnSync('pwsh', ['-NoProfile', '-Command', 'exit 0']).status === 0;

if (hasPowerShell) {
  describe('3.5: a script for pwsh, which is installed on this machine,', () => {
    test('runs, and ends with the status of the last program', () => {
      const { run } = openEnvironment();
      const actual = run({ shell: 'pwsh', scripts: ['Write-Output "one"', "sh -c 'exit 3'"] });
      expect(actual).toMatchObject({ lines: ['one'], status: 3 });
    });

    test('ends at the first error', () => {
      const { run } = openEnvironment();
      const actual = run({ shell: 'pwsh', scripts: ['Get-Item ./nowhere', 'Write-Output "two"'] });
      expect(actual.lines).not.toContain('two');
      expect(actual.status).not.toBe(0);
    });
  });
}
