import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attach } from './attach.ts';
import { createFile } from './create-file.ts';
import { commandLine, quoteCmd, quoteCmdPath, quoteSh } from './quoting.ts';
import { scriptStep, stopOnError } from './script-step.ts';

/** A text that the orchestrator would evaluate. */
const EXPRESSION = `$\{{ variables.SECRET }}`;

const HOSTILE = [
  '',
  ' ',
  'plain-word_1.2',
  "it's",
  '"quoted"',
  '$HOME `id` $(id) \\ ! # * ? ~ ; & | < > ( ) { }',
  '-rf',
  'two\nlines\n',
  'ünïcödé 😀',
  EXPRESSION,
  "'${{''",
];

describe('a word for sh', () => {
  test.each(HOSTILE)('%j arrives as it is', async (text) => {
    await inTemporaryDirectory(async (directory) => {
      const line = commandLine('linux', ['printf', '%s|%s', text, 'next']);
      const { stdout } = await runBash(line, directory);
      expect(stdout).toBe(`${text}|next`);
    });
  });

  test('never has the beginning of an expression', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', "'", 'a') }), (text) => {
        expect(quoteSh(text)).not.toContain('${{');
      }),
    );
  });

  test('cannot have a NUL character', () => {
    expect(() => quoteSh('a\0b')).toThrow('"a\\u0000b" has a NUL character and cannot be part');
  });
});

describe('a word for cmd', () => {
  test.each([
    ['plain\\path.txt', 'plain\\path.txt'],
    ['', '^"^"'],
    ['two words', '^"two words^"'],
    ['a"b', '^"a\\^"b^"'],
    ['a\\"b', '^"a\\\\\\^"b^"'],
    ['ends with \\', '^"ends with \\\\^"'],
    ['a&b|c<d>e^f(g)!', '^"a^&b^|c^<d^>e^^f^(g^)^!^"'],
    ['%PATH%', '^"%%PATH%%^"'],
    [EXPRESSION, '^"$^{^{ variables.SECRET ^}^}^"'],
  ])('%j is written %s', (text, written) => {
    expect(quoteCmd(text)).toBe(written);
  });

  test('cannot have a line break', () => {
    expect(() => quoteCmd('a\nb')).toThrow('"a\\nb" has a line break or a NUL character');
  });

  test.each(['a"b', 'a|b', 'a\nb', EXPRESSION])('%j is no path', (path) => {
    expect(() => quoteCmdPath(path)).toThrow(expect.objectContaining({ reason: 'Invalid' }));
  });
});

describe('attach', () => {
  test.each([
    ['report.xml', {}, '::attach::'],
    ['out/my report.xml', { type: 'application/xml' }, '::attach type=application/xml::'],
    ["it's $HOME", { type: 'a/b', name: 'x y.xml' }, '::attach type=a/b,name=x y.xml::'],
  ] as const)('of %j names the file where the script is', async (path, options, head) => {
    await inTemporaryDirectory(async (directory) => {
      const { stdout } = await runBash(attach('linux', path, options), directory);
      expect(stdout).toMatch(new RegExp(`^${head}/.*\n$`));
      expect(stdout.endsWith(`/${path}\n`)).toBe(true);
    });
  });

  // Language 5: Providers attach with the directory that they are in.
  test('of an absolute path keeps it', () => {
    expect(attach('linux', '/tmp/report.xml')).toBe('echo ::attach::/tmp/report.xml');
  });

  test.each([
    ['out/a & b.xml', '@echo ::attach type=a/b::%CD%\\out\\a ^& b.xml'],
    ['100%.xml', '@echo ::attach type=a/b::%CD%\\100%%.xml'],
    ['C:\\out\\a.xml', '@echo ::attach type=a/b::C:\\out\\a.xml'],
    // Language 5: Providers attach with the directory that they are in.
  ])('of %j on Windows', (path, line) => {
    expect(attach('windows', path, { type: 'a/b' })).toBe(line);
  });

  test.each([
    ['', {}],
    ['a\nb', {}],
    ['a', { type: 'a,b=c' }],
    ['a', { name: 'x::y' }],
  ])('of %j with %j is refused', (path, options) => {
    expect(() => attach('linux', path, options)).toThrow(
      expect.objectContaining({ reason: 'Invalid' }),
    );
  });
});

describe('createFile', () => {
  test.each([
    ...HOSTILE,
    'line 1\nline 2\n',
    'END_OF_FILE\nEND_OF_FILE_\n',
    '\ttab\r\n',
    'nul \0 and bell \u0007',
    `${'long line '.repeat(2000)}\n`,
    '😀'.repeat(3000),
  ])('writes %j to the byte', async (content) => {
    await inTemporaryDirectory(async (directory) => {
      const path = "new dir/it's/a $file";
      const { exitCode, stderr } = await runBash(
        createFile('linux', path, content).join('\n'),
        directory,
      );
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(await readFile(join(directory, path), 'utf8')).toBe(content);
    });
  });

  test('takes a path that begins with a dash for a path', async () => {
    await inTemporaryDirectory(async (directory) => {
      await runBash(createFile('macos', '-x/-y', 'text\n').join('\n'), directory);
      expect(await readFile(join(directory, '-x/-y'), 'utf8')).toBe('text\n');
    });
  });

  test('keeps plain text readable in the script', () => {
    expect(createFile('linux', 'a.txt', 'one\ntwo\n')).toEqual([
      "cat > a.txt <<'END_OF_FILE'",
      'one',
      'two',
      'END_OF_FILE',
    ]);
  });

  test('never leaves the beginning of an expression in the script', () => {
    expect(createFile('linux', 'a', `${EXPRESSION}\n`).join('\n')).not.toContain('${{');
  });

  test('encodes the content on Windows', () => {
    expect(createFile('windows', 'dir/a b.txt', 'hé\n')).toEqual([
      '@if not exist "dir" mkdir "dir" || exit /b',
      '@> "dir\\a b.txt.base64" echo aMOpCg== || exit /b',
      '@certutil -f -decode "dir\\a b.txt.base64" "dir\\a b.txt" > nul || exit /b',
      '@del "dir\\a b.txt.base64"',
    ]);
  });

  test('encodes long content on Windows in lines that cmd can read', () => {
    const lines = createFile('windows', 'a', 'x'.repeat(10_000));
    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(8191);
  });

  test('makes an empty file on Windows without decoding', () => {
    expect(createFile('windows', 'a', '')).toEqual(['@type nul > "a" || exit /b']);
  });

  test('refuses content that is too long for a script', () => {
    expect(() => createFile('linux', 'a', 'x'.repeat(65_537))).toThrow(
      'The content of a is longer than 65536 characters.',
    );
  });
});

test('a script step runs in the shell that its lines are written for', () => {
  expect(scriptStep('linux', ['a', 'b'], { id: 'x' })).toEqual({
    id: 'x',
    run: 'a\nb',
    shell: 'bash',
  });
  expect(scriptStep('windows', ['a'])).toEqual({ run: 'a', shell: 'cmd' });
});

test('a failing line ends the script on every system', () => {
  expect(stopOnError('linux', 'git init')).toBe('git init');
  expect(stopOnError('windows', 'git init')).toBe('@git init || exit /b');
});

interface ScriptRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs lines as an environment does: bash that stops at the first failing line. */
async function runBash(script: string, cwd: string): Promise<ScriptRun> {
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  return await new Promise((resolve, reject) => {
    execFile('bash', options, { cwd }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, stdout, stderr });
      else reject(error);
    });
  });
}

async function inTemporaryDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'provider '));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
