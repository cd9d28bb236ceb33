import { readFile } from 'node:fs/promises';
import type { ChannelOs, InputValues } from '@tutti/manifests';
import type { Provider } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { artifactActionsProvider } from './artifact-actions.ts';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';
import { codeProviders } from './built-in-providers.ts';
import { checkoutProvider } from './checkout.ts';
import { createArchiveProvider } from './create-archive.ts';
import { createFileProvider } from './create-file.ts';
import { fetchFileProvider } from './fetch-file.ts';
import { fileActionsProvider } from './file-actions.ts';
import { prepareInceptionProvider } from './prepare-inception.ts';
import { createProviderCatalog } from './provider-catalog.ts';
import { callBuiltIn, callProvider } from './provider-scripts.fixture.ts';

test('every function of the server has a name of its own, and describes itself and its inputs', async () => {
  const catalog = createProviderCatalog({
    code: codeProviders,
    manifests: { prefixes: manifestPrefixes, load: builtInManifest },
  });
  const functions = (await catalog.all()).map(({ called }) => called);
  const names = functions.map(
    ({ prefix, category, version }) => `${prefix}/${category}@${version}`,
  );
  expect(names).toEqual([...new Set(names)]);
  expect(names).toEqual(
    expect.arrayContaining([
      'actions/checkout@v1',
      'actions/checkout@v2',
      'actions/checkout@v3',
      'actions/create-archive@v1',
      'actions/create-file@v1',
      'actions/delete-file@v1',
      'actions/download-artifact@v1',
      'actions/get-file@v1',
      'actions/get-files@v1',
      'actions/prepare-inception@v1',
      'actions/put-file@v1',
      'actions/touch-file@v1',
      'actions/upload-artifact@v1',
      'tutti/fetch-file@v1',
      'node-test/execute@v1',
      'node-test/node-test@v1',
      'pytest/execute@v1',
      'junit/execute@v1',
      'junit/mvntest@v1',
      'junit/params@v1',
    ]),
  );
  for (const { description, inputs } of functions) {
    expect(description).not.toBe('');
    for (const input of Object.values(inputs)) expect(input.description).not.toBe('');
  }
});

describe('scripts for Windows', () => {
  test('a checkout stops at the first command that fails', async () => {
    const given = { repository: 'https://example.org/a b.git', ref: '0123abcd', path: 'c:\\ws' };
    expect(await callProvider(checkoutProvider, 'actions/checkout@v2', given, 'windows')).toEqual([
      {
        run: [
          '@git clone --no-checkout -- ^"https://example.org/a b.git^" c:\\ws || exit /b',
          '@git -C c:\\ws checkout 0123abcd -- || exit /b',
          '@git -C c:\\ws log -1 --no-show-signature ^"--format=::checkout commit=%%H::https://example.org/a b.git%%x09%%D^" || git -C c:\\ws status --short || exit /b',
        ].join('\n'),
        shell: 'cmd',
        variables: { GIT_TERMINAL_PROMPT: '0' },
      },
    ]);
  });

  test('fetching a file says which part of it failed', async () => {
    const given = { repository: 'https://example.org/a.git', path: 'a/b & c.yaml', ref: 'v1' };
    const [step] = await callProvider(fetchFileProvider, 'tutti/fetch-file@v1', given, 'windows');
    const or = (problem: string) => `|| (echo ::set-output name=problem::${problem}& exit /b 1)`;
    const filters = '--filter=blob:none --no-tags --quiet';
    expect(step?.run?.split('\n')).toEqual([
      '@if exist .tutti-fetch.git rmdir /s /q .tutti-fetch.git',
      `@git --version > nul ${or('git')}`,
      '@git init --quiet --bare .tutti-fetch.git || exit /b',
      '@git -C .tutti-fetch.git remote add -- origin https://example.org/a.git || exit /b',
      `@git -C .tutti-fetch.git fetch ${filters} --depth=1 origin +v1:refs/fetched ${or('repository')}`,
      `@git -C .tutti-fetch.git rev-parse --quiet --verify ^"refs/fetched~0^" > .tutti-fetch.txt ${or('repository')}`,
      `@git -C .tutti-fetch.git ls-tree refs/fetched -- ^"a/b ^& c.yaml^" | findstr /b 100 > nul ${or('file')}`,
      `@git -C .tutti-fetch.git cat-file blob ^"refs/fetched:a/b ^& c.yaml^" > .tutti-fetch.content ${or('repository')}`,
      '@set /p FETCHED_COMMIT=<.tutti-fetch.txt',
      '@echo ::set-output name=commit::%FETCHED_COMMIT%',
      '@echo ::attach name=b_^&_c.yaml::%CD%\\.tutti-fetch.content',
      '@rmdir /s /q .tutti-fetch.git',
    ]);
    const commit = { ...given, ref: '0123abcd' };
    const [other] = await callProvider(fetchFileProvider, 'tutti/fetch-file@v1', commit, 'windows');
    expect(other?.run?.split('\n')[4]).toBe(
      `@git -C .tutti-fetch.git fetch ${filters} --depth=1 origin +0123abcd:refs/fetched 2> nul || (git -C .tutti-fetch.git fetch ${filters} origin ^"+refs/heads/*:refs/heads/*^" ^"+refs/tags/*:refs/tags/*^" && git -C .tutti-fetch.git update-ref refs/fetched 0123abcd) ${or('repository')}`,
    );
  });

  test('a test keeps the exit code of the tests and attaches the report', async () => {
    const given = { test: 'test/cart.test.js#adds 100%' };
    const source = await readFile(new URL('./node-test-reporter.mjs', import.meta.url), 'utf8');
    const code = Buffer.from(source.replace(/^\/\/.*\n/gm, '')).toString('base64');
    const reporter = `data:text/javascript;base64,${code}`;
    const [step] = await callBuiltIn('node-test/execute@v1', given, 'windows');
    expect(step?.run?.split('\n')).toEqual([
      '@if exist "%OPENTF_WORKSPACE%\\node-test-report.xml" del /q "%OPENTF_WORKSPACE%\\node-test-report.xml"',
      `@node --test --test-reporter=spec --test-reporter-destination=stdout ^"--test-reporter=${reporter}^" "--test-reporter-destination=%OPENTF_WORKSPACE%/node-test-report.xml" ^"--test-name-pattern=^^adds 100%%$^" -- test/cart.test.js`,
      '@set "TUTTI_STATUS=%ERRORLEVEL%"',
      '@echo.',
      '@for %%F in ("%OPENTF_WORKSPACE%\\node-test-report.xml") do @if exist "%%~fF" echo ::attach type=application/vnd.opentestfactory.node-test-surefire+xml,name=report.xml::%%~fF',
      '@if not exist "%OPENTF_WORKSPACE%\\node-test-report.xml" echo ::warning::There is no report node-test-report.xml to attach.',
      '@if not exist "%OPENTF_WORKSPACE%\\node-test-report.xml" echo ::missing-report type=application/vnd.opentestfactory.node-test-surefire+xml::node-test-report.xml',
      '@exit /b %TUTTI_STATUS%',
    ]);
  });

  test.each<[uses: string, provider: Provider, given: InputValues, lines: readonly string[]]>([
    [
      'touch-file',
      fileActionsProvider,
      { path: 'a b/100%.txt' },
      [
        '@if not exist "a b" mkdir "a b" || exit /b',
        '@if not exist "a b\\100%%.txt" type nul > "a b\\100%%.txt" || exit /b',
        '@set "TUTTI_PATH=a b/100%%.txt"',
        `@powershell -NoProfile -NonInteractive -Command "$ErrorActionPreference='Stop'; (Get-Item -LiteralPath $env:TUTTI_PATH -Force).LastWriteTime=Get-Date" || exit /b`,
      ],
    ],
    [
      'delete-file',
      fileActionsProvider,
      { path: 'dir/a & b' },
      [
        '@if exist "dir\\a & b\\" (echo ::error::dir/a ^& b is a folder.& exit /b 1)',
        '@if exist "dir\\a & b" del /f /q "dir\\a & b"',
      ],
    ],
    ['get-file', fileActionsProvider, { path: 'a/b & c' }, ['@echo ::attach::%CD%\\a\\b ^& c']],
    [
      'put-file',
      fileActionsProvider,
      { file: 'x & y', path: 'in/z' },
      ['@if not exist "in" mkdir "in" || exit /b', '@echo ::put file=x ^& y::in/z'],
    ],
    [
      'download-artifact',
      artifactActionsProvider,
      { name: 'a & b' },
      ['@echo ::download file=a ^& b::'],
    ],
  ])('of %s', async (uses, provider, given, lines) => {
    const [step] = await callProvider(provider, `actions/${uses}@v1`, given, 'windows');
    expect(step?.shell).toBe('cmd');
    expect(step?.run?.split('\n')).toEqual(lines);
  });

  test.each<[uses: string, provider: Provider, given: InputValues, has: readonly string[]]>([
    ['delete-file', fileActionsProvider, { path: 'x/*' }, ['Remove-Item -LiteralPath $_.Full']],
    [
      'get-files',
      fileActionsProvider,
      { pattern: '100%\\*.x', type: 't' },
      ['"TUTTI_BASES=./100%%"', '"TUTTI_HEAD=::attach type=t::"', '$env:TUTTI_HEAD+$_.Full'],
    ],
    [
      'upload-artifact',
      artifactActionsProvider,
      { path: 'c:\\out', name: 'a%b', 'if-no-files-found': 'error' },
      [
        '"TUTTI_ROOT=c:/out"',
        '"TUTTI_ONE=::upload name=a%%b::"',
        '"TUTTI_SEVERAL=::upload name=a%%25b%%2F"',
        "{'::error::There is no file to upload.'; exit 1}",
      ],
    ],
    [
      'create-archive',
      createArchiveProvider,
      { path: 'x.zip', patterns: '*' },
      ['"TUTTI_ARCHIVE=x.zip"', 'tar --format=zip -cf $env:TUTTI_ARCHIVE -T $list'],
    ],
  ])('let PowerShell find the files of %s', async (uses, provider, given, has) => {
    const [step] = await callProvider(provider, `actions/${uses}@v1`, given, 'windows');
    const lines = step?.run?.split('\n') ?? [];
    const powershell = lines.at(-1) ?? '';
    expect(powershell).toMatch(
      /^@powershell -NoProfile -NonInteractive -Command "[^"]*" \|\| exit \/b$/,
    );
    // Every bracket of the script is closed.
    for (const [open, close] of ['()', '{}', '[]']) {
      expect(powershell.split(open ?? '').length).toBe(powershell.split(close ?? '').length);
    }
    for (const text of has) expect(step?.run).toContain(text);
    for (const line of lines) expect(line.length).toBeLessThan(8191);
  });

  test.each(['a"&calc&"', 'a\nb', 'a|b'])('refuse the path %j', async (path) => {
    for (const uses of ['touch-file', 'delete-file'] as const) {
      const called = callProvider(fileActionsProvider, `actions/${uses}@v1`, { path }, 'windows');
      await expect(called).rejects.toThrow(/cannot|no path/);
    }
    const archive = { path, patterns: '*' };
    const uses = 'actions/create-archive@v1';
    const called = callProvider(createArchiveProvider, uses, archive, 'windows');
    await expect(called).rejects.toThrow(/cannot|no path/);
  });

  test('a file is decoded from its script', async () => {
    const given = { data: 'x', format: 'txt', path: 'a.txt' };
    const [step] = await callProvider(
      createFileProvider,
      'actions/create-file@v1',
      given,
      'windows',
    );
    expect(step?.shell).toBe('cmd');
    expect(step?.run).toContain('echo eAo=');
  });
});

describe('a checkout', () => {
  test.each([
    ['https://example.org/team/shop.git', 'shop'],
    ['https://example.org/team/shop', 'shop'],
    ['https://example.org/team/shop/', 'shop'],
    ['git@example.org:shop.git', 'shop'],
    ['/srv/shop/.git', 'shop'],
    ['.git', 'repository'],
  ])('of a commit of %s goes to %s', async (repository, directory) => {
    const given = { repository, ref: '0123abcd' };
    const [step] = await callProvider(checkoutProvider, 'actions/checkout@v1', given);
    const format = `'--format=::checkout commit=%H::${repository}%x09%D'`;
    expect(step?.run?.split('\n')).toEqual([
      `git clone --no-checkout -- ${repository} ${directory}`,
      `git -C ${directory} checkout 0123abcd --`,
      `git -C ${directory} log -1 --no-show-signature ${format} || git -C ${directory} status --short`,
    ]);
  });
});

describe('a file', () => {
  const content = async (format: string, data: unknown): Promise<string> => {
    const given = { data, format, path: 'f' };
    const [step] = await callProvider(createFileProvider, 'actions/create-file@v1', given);
    return (step?.run ?? '').split('\n').slice(1, -1).join('\n');
  };

  test.each([
    ['txt', 'as it is', 'as it is'],
    ['json', { a: [1, true] }, '{\n  "a": [\n    1,\n    true\n  ]\n}'],
    ['json', '{"a":1}', '{"a":1}'],
    ['yaml', { a: [1, true], b: 'x: y' }, 'a:\n  - 1\n  - true\nb: "x: y"'],
    ['ini', { top: 1, s: { a: 'x', b: true }, t: {} }, 'top = 1\n\n[s]\na = x\nb = true\n\n[t]'],
    ['ini', {}, ''],
  ])('in %s of %j', async (format, data, text) => {
    expect(await content(format, data)).toBe(text);
  });

  test.each([
    ['txt', { a: 1 }, 'Input "data": the format "txt" needs a text.'],
    ['ini', [1], 'Input "data": the format "ini" needs sections with keys and values.'],
    ['ini', { s: { a: [1] } }, 'Input "data": the format "ini" has no values within "s.a".'],
    ['ini', { s: { a: 'x\n[t]' } }, 'Input "data": the value of "a" has more than one line.'],
    ['ini', { 's]': {} }, 'Input "data": "s]" cannot name a section.'],
    ['ini', { s: { 'a=b': 1 } }, 'Input "data": "a=b" cannot be a key.'],
    [
      'xml',
      'x',
      'Input "format": Invalid value "xml".  Allowed values: "ini", "json", "yaml", "txt".',
    ],
  ])('in %s of %j is refused', async (format, data, message) => {
    await expect(content(format, data)).rejects.toThrow(message);
  });
});

describe('the preparation of a rehearsal', () => {
  const prepared = async (given: InputValues, os?: ChannelOs) =>
    (await callProvider(prepareInceptionProvider, 'actions/prepare-inception@v1', given, os)).map(
      ({ run }) => run,
    );

  test('is comments, which do nothing elsewhere', async () => {
    const given = { 'report.xml': 'a b.xml', 'TEST-x_y.xml': 'c' };
    expect(await prepared(given)).toEqual([
      '# ::inception file=a b.xml::report.xml\n# ::inception file=c::TEST-x_y.xml',
    ]);
    expect(await prepared({ x: 'y' }, 'windows')).toEqual(['@rem ::inception file=y::x']);
    expect(await prepared({})).toEqual([]);
  });

  test.each<[given: InputValues, message: string]>([
    [{ 'a/b': 'c' }, 'cannot be the name of a report'],
    [{ 'a\nb': 'c' }, 'cannot be the name of a report'],
    [{ a: '' }, 'expected the name of a resource file'],
    [{ a: { b: 1 } }, 'expected the name of a resource file'],
    [{ a: 'b\nc' }, 'has a comma, a colon or a line break'],
    [{ a: 'b,c' }, 'has a comma, a colon or a line break'],
  ])('refuses %j', async (given, message) => {
    await expect(prepared(given)).rejects.toThrow(message);
  });
});

describe('options that existing workflows give', () => {
  const lastLine = async (uses: string, inputs: InputValues) =>
    (await callBuiltIn(uses, inputs))[0]?.run?.trim().split('\n').at(-1);

  test.each([
    [{ tag: '@a' }, ' -Dcucumber.filter.tags=@a'],
    [{ tags: '@a or @b' }, " '-Dcucumber.filter.tags=@a or @b'"],
    [{ tag: '@a', tags: '@b or @c' }, " '-Dcucumber.filter.tags=(@a) and (@b or @c)'"],
    [{ 'extra-options': ' -Dx=1  -Dy=$z ' }, " -Dx=1 '-Dy=$z'"],
  ])('Cucumber gets %j', async (inputs, words) => {
    const given = { test: 'a.feature', reporters: [], ...inputs };
    for (const prefix of ['cucumber', 'cucumber5']) {
      const [step] = await callBuiltIn(`${prefix}/cucumber@v1`, given);
      expect(step?.run?.replace(/ +/g, ' ')).toContain(
        `\nmvn --batch-mode -Dcucumber.features=a.feature${words} -Dcucumber.plugin=json:target/report.json test ||`,
      );
    }
  });

  test.each([
    [{ 'iteration-count': 2, 'delay-request': '10' }, ' --iteration-count=2 --delay-request=10'],
    [{ 'timeout-request': 5000, bail: true }, ' --timeout-request=5000 --bail'],
    [{ bail: 'failure', 'extra-options': '--verbose -k' }, ' --bail=failure --verbose -k'],
    [{ bail: false }, ''],
  ])('Newman gets %j', async (inputs, words) => {
    expect(await lastLine('postman/postman@v1', { collection: 'a.json', ...inputs })).toBe(
      `npx newman run a.json${words} --color=off --reporters=cli,junit --reporter-junit-export="\${OPENTF_WORKSPACE:-$PWD}"/newman-run-report.xml`,
    );
  });
});
