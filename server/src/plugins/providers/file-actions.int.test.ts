/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what hostile callers send. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ChannelOs, InputValues } from '@tutti/manifests';
import type { Provider } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { artifactActionsProvider } from './artifact-actions.ts';
import { createArchiveProvider } from './create-archive.ts';
import { fileActionsProvider } from './file-actions.ts';
import {
  callProvider,
  inTemporaryDirectory,
  runSteps,
  type ScriptRun,
} from './provider-scripts.fixture.ts';

/** Names that a script would read as something else if they were not quoted; none has a separator. */
const ODD_NAMES = [
  'a b.xml',
  "it's.xml",
  'say "hi".xml',
  '-rf.xml',
  '$(touch pwned).xml',
  '`touch pwned`.xml',
  'a; touch pwned',
  '[a].xml',
  'back\\slash.xml',
  '100%.xml',
  '${{ x }}.xml',
  'größe.xml',
];

const providerOf = (uses: string): Provider => {
  if (uses.includes('artifact')) return artifactActionsProvider;
  return uses.includes('archive') ? createArchiveProvider : fileActionsProvider;
};

const call = async (uses: string, inputs: InputValues, os?: ChannelOs) =>
  await callProvider(providerOf(uses), `actions/${uses}@v1`, inputs, os);

const runIn = async (cwd: string, uses: string, inputs: InputValues): Promise<ScriptRun> =>
  // The run evaluates the scripts; here they stand as they are.
  await runSteps(await call(uses, inputs), cwd);

const linesIn = async (cwd: string, uses: string, inputs: InputValues) =>
  (await runIn(cwd, uses, inputs)).output.trim().split('\n');

/** Runs it in a folder with these files, each with its name as its content. */
async function withFiles(
  names: readonly string[],
  use: (cwd: string) => Promise<void>,
): Promise<void> {
  await inTemporaryDirectory(async (cwd) => {
    for (const name of names) {
      mkdirSync(join(cwd, name, '..'), { recursive: true });
      writeFileSync(join(cwd, name), name);
    }
    await use(cwd);
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  });
}

describe('touch-file', () => {
  test.each(ODD_NAMES)('makes %j, in a folder that is new', async (name) => {
    await withFiles([], async (cwd) => {
      const path = `new/${name}`;
      expect((await runIn(cwd, 'touch-file', { path })).exitCode).toBe(0);
      expect((await runIn(cwd, 'touch-file', { path: name })).exitCode).toBe(0);
      expect(readdirSync(join(cwd, 'new'))).toEqual([name]);
      expect(statSync(join(cwd, name)).size).toBe(0);
    });
  });

  test('sets the time of a file that is there, and keeps its content', async () => {
    await withFiles(['a.txt'], async (cwd) => {
      utimesSync(join(cwd, 'a.txt'), 1, 1);
      await runIn(cwd, 'touch-file', { path: 'a.txt' });
      expect(statSync(join(cwd, 'a.txt')).mtimeMs).toBeGreaterThan(1000);
      expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a.txt');
    });
  });
});

describe('delete-file', () => {
  test.each(ODD_NAMES)('removes %j alone', async (name) => {
    await withFiles([name, 'other'], async (cwd) => {
      expect((await runIn(cwd, 'delete-file', { path: name })).exitCode).toBe(0);
      expect(readdirSync(cwd)).toEqual(['other']);
    });
  });

  test('has nothing against a file that is not there', async () => {
    await withFiles([], async (cwd) => {
      expect((await runIn(cwd, 'delete-file', { path: 'none/a' })).exitCode).toBe(0);
      expect((await runIn(cwd, 'delete-file', { path: '*.none' })).exitCode).toBe(0);
    });
  });

  test('removes what a pattern finds, and no folders', async () => {
    await withFiles([...ODD_NAMES, 'x.xml/y.xml', 'keep.txt'], async (cwd) => {
      expect((await runIn(cwd, 'delete-file', { path: '*.xml' })).exitCode).toBe(0);
      expect(readdirSync(cwd).sort()).toEqual(['a; touch pwned', 'keep.txt', 'x.xml']);
      expect(readdirSync(join(cwd, 'x.xml'))).toEqual(['y.xml']);
    });
  });

  test('fails for a folder, and leaves it', async () => {
    await withFiles(['dir/a'], async (cwd) => {
      expect((await runIn(cwd, 'delete-file', { path: 'dir' })).exitCode).not.toBe(0);
      expect(readdirSync(join(cwd, 'dir'))).toEqual(['a']);
    });
  });

  test.each(['/*', '../*', 'a/../../*', 'c:\\*', '\\*'])('refuses the pattern %s', async (path) => {
    await expect(call('delete-file', { path })).rejects.toThrow(
      'leads out of the working directory',
    );
  });
});

describe('get-file and get-files', () => {
  test.each(ODD_NAMES)('say where %j is', async (name) => {
    await withFiles([name], async (cwd) => {
      const given = { type: 'a/b+c' };
      const [one] = await linesIn(cwd, 'get-file', { ...given, path: name, name: 'x y' });
      expect(one).toBe(`::attach type=a/b+c,name=x y::${cwd}/${name}`);
      const [all] = await linesIn(cwd, 'get-files', { ...given, pattern: '*' });
      expect(all).toBe(`::attach type=a/b+c::${cwd}/${name}`);
    });
  });

  test('attach all files of all patterns, each once', async () => {
    await withFiles(['a/x.xml', 'a/b/y.xml', 'z.txt'], async (cwd) => {
      expect(await linesIn(cwd, 'get-files', { pattern: ['**/*.xml', 'a/*'] })).toEqual([
        `::attach::${cwd}/a/b/y.xml`,
        `::attach::${cwd}/a/x.xml`,
      ]);
    });
  });

  test.each([
    ['a line', {}, 'There is no file *.xml.'],
    ['a line', { 'warn-if-not-found': false }, 'There is no file *.xml.'],
    ['a warning', { 'warn-if-not-found': true }, '::warning::There is no file *.xml.'],
    ['a warning', { 'warn-if-not-found': 'TRUE' }, '::warning::There is no file *.xml.'],
    ['a text', { 'warn-if-not-found': "it's\n$(touch pwned)" }, "::warning::it's $(touch pwned)"],
  ])('tell by %s that there is none, and succeed: %j', async (_what, given, line) => {
    await withFiles([], async (cwd) => {
      const run = await runIn(cwd, 'get-files', { pattern: '*.xml', ...given });
      expect(run).toEqual({ exitCode: 0, output: `${line}\n` });
    });
  });

  test('tell of a report that it is missing', async () => {
    await withFiles([], async (cwd) => {
      const type = 'application/vnd.opentestfactory.junit-surefire+xml';
      for (const pattern of [['a/*.xml', '*.xml'], 'a/*.xml\n *.xml']) {
        expect((await runIn(cwd, 'get-files', { pattern, type })).output.split('\n')).toEqual([
          'There is no file a/*.xml, *.xml.',
          `::missing-report type=${type}::a/*.xml, *.xml`,
          '',
        ]);
      }
    });
  });

  test.each(['a,name=b', 'a:b', ' a', 'a\nb'])('refuse the type %j', async (type) => {
    await expect(call('get-file', { path: 'a', type })).rejects.toThrow('cannot be the type');
    await expect(call('get-files', { pattern: 'a', type })).rejects.toThrow('cannot be the type');
  });
});

describe('put-file', () => {
  test.each(['file', 'data'])('asks for the file in %s, and makes the folder', async (input) => {
    await withFiles([], async (cwd) => {
      const path = "in/it's $(touch pwned)";
      expect(await linesIn(cwd, 'put-file', { [input]: 'a b.zip', path })).toEqual([
        `::put file=a b.zip::${path}`,
      ]);
      expect(readdirSync(cwd)).toEqual(['in']);
    });
  });

  test.each([
    [{ path: 'a' }, 'Mandatory input "file" not provided.'],
    [{ file: 'a' }, 'Mandatory input "path" not provided.'],
    [{ file: 'a,b', path: 'a' }, 'Input "file": "a,b" has a comma'],
    [{ file: 'a', path: 'a\n::add-mask::b' }, 'is no path'],
  ])('refuses %j', async (given, message) => {
    await expect(call('put-file', given)).rejects.toThrow(message);
  });
});

describe('create-archive', () => {
  const contentOf = (path: string): readonly string[] =>
    execFileSync('tar', ['-tf', path, '--quoting-style=literal'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort();
  const zipped = (path: string): readonly string[] => {
    const list = 'import sys,zipfile;print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))';
    return execFileSync('python3', ['-c', list, path], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort();
  };
  const files = [...ODD_NAMES, 'out/.hidden', 'out/deep/x.txt'];
  const named = files.map((name) => (name.startsWith('-') ? `./${name}` : name)).sort();

  test.each(['a.tar', 'a.tar.gz', 'a.tgz', 'new dir/-x', '-x.tar'])(
    'packs all into %s',
    async (path) => {
      await withFiles(files, async (cwd) => {
        const given = { path, patterns: ['*', '.*', `!${path.replace(/^-.*/, 'none')}`] };
        await runIn(cwd, 'create-archive', given);
        const again = await runIn(cwd, 'create-archive', given);
        expect(again.exitCode, again.output).toBe(0);
        expect(contentOf(join(cwd, path))).toEqual(named);
      });
    },
  );

  test('packs all into a zip file', async () => {
    await withFiles(files, async (cwd) => {
      const run = await runIn(cwd, 'create-archive', { path: "it's.zip", patterns: '*' });
      expect(run.exitCode, run.output).toBe(0);
      expect(zipped(join(cwd, "it's.zip")).map((name) => name.replace('./', ''))).toEqual(
        expect.arrayContaining(['100%.xml', '-rf.xml', 'a b.xml', 'out/.hidden', 'out/deep/x.txt']),
      );
    });
  });

  test('uses python where there is no zip', async () => {
    await withFiles(['a b', 'dir/c'], async (cwd) => {
      const [step] = await call('create-archive', { path: 'x', files: '*', format: 'zip' });
      const run = (step?.run ?? '').replace('command -v zip', 'command -v no-zip');
      expect((await runSteps([{ ...step, run }], cwd)).exitCode).toBe(0);
      expect(zipped(join(cwd, 'x'))).toEqual(['a b', 'dir/c']);
    });
  });

  test('fails when there is nothing to pack', async () => {
    await withFiles([], async (cwd) => {
      const run = await runIn(cwd, 'create-archive', { path: 'a.tar', patterns: 'none/**' });
      expect(run).toEqual({ exitCode: 1, output: '::error::There is no file to pack.\n' });
    });
  });

  test.each([
    [{ path: 'a' }, 'Mandatory input "patterns" not provided.'],
    [{ path: 'a\nb', patterns: 'a' }, 'is no path'],
    [{ path: 'a', patterns: 'a', format: 'rar' }, 'Invalid value "rar"'],
  ])('refuses %j', async (given, message) => {
    await expect(call('create-archive', given)).rejects.toThrow(message);
  });
});

describe('upload-artifact', () => {
  test('names a file as the step says, or after itself', async () => {
    await withFiles(['out/a b.log'], async (cwd) => {
      const path = 'out/a b.log';
      expect(
        await linesIn(cwd, 'upload-artifact', { path, name: 'my log', type: 'text/plain' }),
      ).toEqual([`::upload type=text/plain,name=my log::${cwd}/${path}`]);
      expect(await linesIn(cwd, 'upload-artifact', { path })).toEqual([`::upload::${cwd}/${path}`]);
    });
  });

  test('keeps the places of several files in their names', async () => {
    await withFiles(['out/x,1.log', 'out/s/a::b', 'out/100%', 'out/.git/x'], async (cwd) => {
      const name = (file: string) => `::upload name=logs%2F${file}`;
      expect(await linesIn(cwd, 'upload-artifact', { path: 'out', name: 'logs' })).toEqual([
        `${name('100%25')}::${cwd}/out/100%`,
        `${name('s%2Fa%3A%3Ab')}::${cwd}/out/s/a::b`,
        `${name('x%2C1.log')}::${cwd}/out/x,1.log`,
      ]);
    });
  });

  test.each([
    ['warn', 0, '::warning::There is no file to upload.'],
    ['error', 1, '::error::There is no file to upload.'],
    ['ignore', 0, 'There is no file to upload.'],
  ])('can %s when there is no file', async (choice, exitCode, line) => {
    await withFiles([], async (cwd) => {
      const given = { path: '*.log', 'if-no-files-found': choice };
      expect(await runIn(cwd, 'upload-artifact', given)).toEqual({ exitCode, output: `${line}\n` });
    });
  });

  test.each(['a/b', '..', 'a,b', 'a:b', 'a\nb', '*', ' a'])('refuses the name %j', async (name) => {
    await expect(call('upload-artifact', { path: 'a', name })).rejects.toThrow('Input "name"');
  });
});

describe('download-artifact', () => {
  test.each([
    [{}, '::download pattern=*::'],
    [{ path: 'in//' }, '::download pattern=*::in/'],
    [{ name: 'logs', path: "it's" }, "::download file=logs::it's/"],
    [{ pattern: 'l*' }, '::download pattern=l*::'],
  ])('of %j asks for it', async (given, line) => {
    await withFiles([], async (cwd) => {
      expect(await linesIn(cwd, 'download-artifact', given)).toEqual([line]);
    });
  });

  test.each([
    [{ name: 'a', pattern: 'b' }, 'exclude each other'],
    [{ name: 'a/b' }, 'cannot name an artifact'],
    [{ path: 'a\nb' }, 'is no path'],
  ])('of %j is refused', async (given, message) => {
    await expect(call('download-artifact', given)).rejects.toThrow(message);
  });
});
