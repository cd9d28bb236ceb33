/** The projects of a folder: which of them get a job. */
import { expect, test } from 'vitest';
import { findTests } from './find-tests.ts';
import { folderOf, found, script, searched, uses } from './folders.fixture.ts';

const jobsOf = (files: Readonly<Record<string, string>>) =>
  found(files).map(({ job, folder }) => [job, folder]);
const WORKSPACE = JSON.stringify({
  workspaces: ['packages/*'],
  scripts: { test: 'turbo run test' },
  devDependencies: { vitest: '4' },
});

test.each([
  [
    'a Vitest folder and a Go folder',
    {
      'web.app/package.json': uses('vitest'),
      'web-app/package.json': uses('vitest'),
      '1/go.mod': '',
    },
    [
      ['_1-go', '1'],
      ['web-app-vitest', 'web-app'],
      ['web-app-vitest-2', 'web.app'],
    ],
  ],
  [
    'a project with another one in it',
    {
      'package.json': uses('vitest'),
      'services/api/go.mod': '',
      'e2e/package.json': uses('@playwright/test'),
    },
    [
      ['vitest', ''],
      ['e2e-playwright', 'e2e'],
      ['services-api-go', 'services/api'],
    ],
  ],
  [
    'a workspace with tests in its packages',
    {
      'package.json': WORKSPACE,
      'packages/a/package.json': script('vitest run'),
      'packages/b/package.json': uses('jest'),
    },
    [
      ['packages-a-vitest', 'packages/a'],
      ['packages-b-jest', 'packages/b'],
    ],
  ],
  [
    'a workspace whose root runs the tests of all packages',
    {
      'package.json': WORKSPACE,
      'vitest.config.ts': '',
      'packages/a/package.json': uses('vitest'),
    },
    [['vitest', '']],
  ],
  [
    'a workspace with a script alone, and packages',
    {
      'pnpm-workspace.yaml': '',
      'package.json': script('pnpm -r test'),
      'a/package.json': script('node --test'),
    },
    [['a-node-test', 'a']],
  ],
  [
    'modules of Go, of which none runs the tests of another',
    { 'go.mod': '', 'tools/go.mod': '' },
    [
      ['go', ''],
      ['tools-go', 'tools'],
    ],
  ],
  ['modules of Maven', { 'pom.xml': '<module>a</module>', 'a/pom.xml': '' }, [['junit', '']]],
  [
    'modules of Gradle',
    { 'settings.gradle': "include 'a'", 'a/build.gradle': '' },
    [['junit', '']],
  ],
  ['packages of Cargo', { 'Cargo.toml': '[workspace]', 'a/Cargo.toml': '' }, [['cargo', '']]],
  [
    'projects of Maven and Cargo without a common one',
    { 'a/pom.xml': '', 'b/pom.xml': '', 'c/Cargo.toml': '' },
    [
      ['a-junit', 'a'],
      ['b-junit', 'b'],
      ['c-cargo', 'c'],
    ],
  ],
  ['a solution of .NET', { 'Shop.sln': '', 'Shop.Tests/Shop.Tests.csproj': '' }, [['dotnet', '']]],
  ['folders of pytest', { 'conftest.py': '', 'a/test_a.py': '' }, [['pytest', '']]],
  [
    'an environment',
    { 'env/pyvenv.cfg': '', 'env/lib/test_a.py': '', 'a/b/c/d/go.mod': '', 'a/b/c/d/e/go.mod': '' },
    [['a-b-c-d-go', 'a/b/c/d']],
  ],
])('%s', (_what, files, jobs) => {
  expect(jobsOf(files)).toEqual(jobs);
});

test('packages of a workspace are installed in its root, with the Node of the root', () => {
  const files = {
    'package.json': WORKSPACE,
    'pnpm-lock.yaml': '',
    'packages/a/package.json': uses('vitest'),
    '.nvmrc': '22',
  };
  expect(found(files)[0]?.preparations).toMatchObject([
    { note: 'The version of Node that .nvmrc names.', isOfRoot: true },
    { commands: ['pnpm install --frozen-lockfile'], isDone: false, isOfRoot: true },
  ]);
});

test('a package that the workspace does not have is installed by itself', () => {
  const files = { 'package.json': WORKSPACE, 'nvm/package.json': uses('mocha') };
  const own = found(files).find(({ folder }) => folder === 'nvm');
  expect(own?.preparations).toEqual([{ commands: ['npm install'], note: '', isDone: false }]);
  const ofPnpm = {
    'pnpm-workspace.yaml': 'packages:\n  - "web"\n  # all\n  - libs/*\n',
    'package.json': uses('vitest'),
    'web/package.json': uses('vitest'),
    'nvm/package.json': uses('mocha'),
  };
  const places = found(ofPnpm).map(({ folder, preparations: [install] }) => [
    folder,
    install?.isOfRoot,
  ]);
  expect(places).toEqual([
    ['nvm', undefined],
    ['web', true],
  ]);
});

test('files that cannot be read are named', () => {
  const files = {
    'package.json': '{\n  not json',
    'a/package.json/x': '',
    'b/pyproject.toml': '\uFFFDx\0',
    'c/composer.json': '{"a": ',
  };
  const { undone } = searched(files);
  expect(undone).toEqual([
    'package.json is no JSON (line 2).',
    'a/package.json is a folder.',
    'b/pyproject.toml is no text.',
    expect.stringMatching(/^c\/composer\.json is no JSON/),
  ]);
});

test('what is too much is named', () => {
  const ofFolders = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `f${index}/`);
    return findTests({ ...folderOf({}), entries: names }, () => folderOf({ 'go.mod': '' }), false);
  };
  const { findings, undone } = ofFolders(51);
  expect(findings).toHaveLength(50);
  expect(undone).toEqual(['No job for Go, by go.mod in f50: 50 jobs are the most.']);
  expect(ofFolders(1999).undone).not.toContain('Looked into 2000 of at least 2000 folders.');
  expect(ofFolders(2000).undone).toContain('Looked into 2000 of at least 2001 folders.');
});

test.each([
  ['packages/a', ['packages/*'], true],
  ['packages/a/b', ['packages/*'], false],
  ['packages/a/b', ['packages/**'], true],
  ['apps/web-shop', ['apps/web-*'], true],
  ['apps/api', ['apps/web-*'], false],
  ['packages/old', ['packages/*', '!packages/old'], false],
  ['nvm', ['packages/*'], false],
])(
  'the packages of %s are installed in the root of the workspace %j: %s',
  (path, workspaces, isOfRoot) => {
    const files = {
      'package.json': JSON.stringify({ workspaces }),
      [`${path}/package.json`]: uses('mocha'),
    };
    const [mocha] = found(files);
    expect(mocha?.preparations).toEqual([
      { commands: ['npm install'], note: '', isDone: false, ...(isOfRoot ? { isOfRoot } : {}) },
    ]);
  },
);

test('a folder of a pnpm workspace is a member by pnpm-workspace.yaml', () => {
  const files = {
    'package.json': '{}',
    'pnpm-workspace.yaml': "packages:\n  - 'libs/*'\n",
    'libs/a/package.json': uses('mocha'),
    'other/package.json': uses('mocha'),
  };
  const places = found(files).map(({ folder, preparations }) => [
    folder,
    preparations[0]?.isOfRoot,
  ]);
  expect(places).toEqual([
    ['other', undefined],
    ['libs/a', true],
  ]);
});
