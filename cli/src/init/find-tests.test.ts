import { expect, test } from 'vitest';
import { findTests } from './find-tests.ts';
import type { Folder } from './finding.ts';

/** A folder with these files, by their paths. */
function folderOf(files: Readonly<Record<string, string>>, name = 'shop'): Folder {
  const list = (path: string): readonly string[] => {
    const below = Object.keys(files).filter((file) => file.startsWith(path));
    const names = below.map((file) => /^[^/]*\/?/.exec(file.slice(path.length))?.[0] ?? '');
    return [...new Set(names)].toSorted();
  };
  return { name, entries: list(''), text: (path) => files[path] ?? null, list };
}

function found(files: Readonly<Record<string, string>>, isWindows = false) {
  const open = (name: string) => {
    const below = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`));
    return folderOf(
      Object.fromEntries(below.map(([path, text]) => [path.slice(name.length + 1), text])),
      name,
    );
  };
  return findTests(folderOf(files), open, isWindows).findings;
}

const uses = (name: string) => JSON.stringify({ devDependencies: { [name]: '1' } });
const script = (text: string) => JSON.stringify({ scripts: { test: text } });

test.each([
  [
    { 'package.json': uses('vitest') },
    'Vitest, by package.json',
    { uses: 'vitest/vitest@v1', with: {} },
  ],
  [
    { 'package.json': uses('mocha') },
    'Mocha, by package.json',
    { uses: 'mocha/mocha@v1', with: {} },
  ],
  [{ 'package.json': uses('jest') }, 'Jest, by package.json', { run: 'npm test' }],
  [
    { 'package.json': JSON.stringify({ dependencies: { jest: '1', 'jest-junit': '1' } }) },
    'Jest, by package.json',
    { uses: 'jest/jest@v1', with: {} },
  ],
  [
    { 'package.json': uses('@playwright/test') },
    'Playwright, by package.json',
    { uses: 'playwright/npx@v1', with: {} },
  ],
  [
    { 'playwright.config.ts': '' },
    'Playwright, by playwright.config.ts',
    { uses: 'playwright/npx@v1', with: {} },
  ],
  [
    { 'package.json': uses('cypress') },
    'Cypress, by package.json',
    { uses: 'cypress/cypress@v1', with: {} },
  ],
  [
    { 'package.json': script('node --test test/*.test.js') },
    'node:test, by package.json',
    { uses: 'node-test/node-test@v1', with: { test: 'test/*.test.js' } },
  ],
  [
    { 'package.json': script('node --test') },
    'node:test, by package.json',
    { uses: 'node-test/node-test@v1', with: {} },
  ],
  [
    { 'package.json': script('node --test --watch') },
    'npm test, by package.json',
    { run: 'npm test' },
  ],
  [{ 'package.json': script('tap && lint') }, 'npm test, by package.json', { run: 'npm test' }],
  [
    { 'pom.xml': '' },
    'JUnit with Maven, by pom.xml',
    { uses: 'junit/junit@v1', with: { datasource: '.' } },
  ],
  [
    { 'pom.xml': '', mvnw: '' },
    'JUnit with Maven, by pom.xml',
    { uses: 'junit/junit@v1', with: { datasource: '.', build: 'mvnw' } },
  ],
  [
    { 'build.gradle': '' },
    'JUnit with Gradle, by build.gradle',
    { uses: 'junit/gradletest@v1', with: { wrapper: false } },
  ],
  [
    { 'build.gradle.kts': '', gradlew: '' },
    'JUnit with Gradle, by build.gradle.kts',
    { uses: 'junit/gradletest@v1', with: { wrapper: true } },
  ],
  [{ 'conftest.py': '' }, 'pytest, by conftest.py', { uses: 'pytest/pytest@v1', with: {} }],
  [
    { 'pyproject.toml': '[tool.pytest.ini_options]' },
    'pytest, by pyproject.toml',
    { uses: 'pytest/pytest@v1', with: {} },
  ],
  [
    { 'tests/test_cart.py': '' },
    'pytest, by tests/test_cart.py',
    { uses: 'pytest/pytest@v1', with: {} },
  ],
  [
    { 'cart.robot': '' },
    'Robot Framework, by cart.robot',
    { uses: 'robotframework/robot@v1', with: { datasource: '.' } },
  ],
  [
    { 'tests/cart.robot': '' },
    'Robot Framework, by tests/cart.robot',
    { uses: 'robotframework/robot@v1', with: { datasource: 'tests/' } },
  ],
  [{ 'go.mod': '' }, 'Go, by go.mod', { uses: 'go/test@v1', with: {} }],
  [{ 'Cargo.toml': '' }, 'Cargo, by Cargo.toml', { uses: 'cargo/test@v1', with: {} }],
  [
    { 'Shop.sln': '' },
    '.NET, by Shop.sln',
    { uses: 'dotnet/test@v1', with: { project: 'Shop.sln' } },
  ],
  [
    { 'phpunit.xml.dist': '' },
    'PHPUnit, by phpunit.xml.dist',
    { uses: 'phpunit/phpunit@v1', with: {} },
  ],
])('%j', (files, title, step) => {
  expect(found(files)).toMatchObject([{ title, step, folder: '' }]);
});

test.each([
  [{}],
  [{ 'package.json': 'no json' }],
  [{ 'package.json': '[]' }],
  [{ 'package.json': script('echo "Error: no test specified" && exit 1') }],
  [{ 'pyproject.toml': '[project]' }],
  [{ 'src/test.py': '' }],
  [{ 'node_modules/package.json': uses('vitest'), '.git/go.mod': '' }],
])('%j has no tests that are known', (files) => {
  expect(found(files)).toEqual([]);
});

test.each([
  ['package-lock.json', 'npm ci'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['README.md', 'npm install'],
])('packages are installed as %s has it: %s', (lock, command) => {
  const files = { 'package.json': uses('vitest'), [lock]: '' };
  const step = { commands: [command], note: '' };
  expect(found(files)[0]?.preparations).toEqual([{ ...step, isDone: false }]);
  const done = { ...files, 'node_modules/vitest/package.json': '' };
  expect(found(done)[0]?.preparations).toEqual([{ ...step, isDone: true }]);
});

/** The line that puts a folder first in PATH. */
const first = (bin: string) => `printf 'export PATH=%q\\n' "${bin}:$PATH" >> "$OPENTF_VARIABLES"`;

test.each([
  [{ 'uv.lock': '' }, 'uv', ['uv sync', first('$PWD/.venv/bin')]],
  [{ 'pyproject.toml': '[tool.uv]' }, 'uv', ['uv sync', first('$PWD/.venv/bin')]],
  [{ 'poetry.lock': '' }, 'poetry', ['poetry install', first('$(poetry env info --path)/bin')]],
  [{ Pipfile: '' }, 'pipenv', ['pipenv install --dev', first('$(pipenv --venv)/bin')]],
  [{ '.python-version': '3.12' }, 'pyenv', [first('$(pyenv prefix)/bin')]],
  [{ '.python-version': '3.12', 'uv.lock': '' }, 'uv', ['uv sync', first('$PWD/.venv/bin')]],
])('a Python project with %j runs its tests with what %s installed', (files, program, commands) => {
  for (const tests of [{ 'conftest.py': '' }, { 'cart.robot': '' }]) {
    const [finding] = found({ ...files, ...tests });
    expect(finding?.programs).toEqual([program]);
    expect(finding?.preparations.flatMap((each) => each.commands)).toEqual(commands);
    expect(finding?.preparations.some(({ isDone }) => isDone)).toBe(false);
  }
});

test('a Python project with a folder .venv runs its tests from there, on Windows too', () => {
  const files = { 'conftest.py': '', 'requirements.txt': '', '.venv/pyvenv.cfg': '' };
  const make = (python: string, own: string) => ({
    commands: [`${python} -m venv .venv`, `${own} -m pip install -r requirements.txt`],
    note: '',
    isDone: true,
  });
  const note = 'The interpreter and the programs of .venv come first from here on.';
  const windows = 'echo set "PATH=%CD%\\.venv\\Scripts;%PATH%">>"%OPENTF_VARIABLES%"';
  expect(found(files)).toMatchObject([
    {
      programs: [],
      preparations: [
        make('python3', '.venv/bin/python'),
        { commands: [first('$PWD/.venv/bin')], note, isDone: false },
      ],
    },
  ]);
  expect(found(files, true)[0]?.preparations).toEqual([
    make('python', '.venv\\Scripts\\python'),
    { commands: [windows], note, isDone: false },
  ]);
});

test('the Node of .nvmrc is chosen before packages are installed, except on Windows', () => {
  const files = { 'package.json': uses('vitest'), '.nvmrc': '22' };
  const starts = (isWindows: boolean) =>
    found(files, isWindows)[0]?.preparations.map(({ commands }) => commands[0]);
  expect(starts(false)).toEqual(['[ -n "$NVM_DIR" ] || NVM_DIR="$HOME/.nvm"', 'npm install']);
  expect(starts(true)).toEqual(['npm install']);
});

test('a folder with several kinds of tests has a job for each', () => {
  const files = { 'package.json': uses('vitest'), 'go.mod': '', 'pom.xml': '' };
  expect(found(files).map(({ job }) => job)).toEqual(['vitest', 'junit', 'go']);
});

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

test('Python folders without an environment use that of the root', () => {
  const files = { 'uv.lock': '', 'api/tests/test_a.py': '' };
  expect(found(files)).toMatchObject([
    { folder: 'api', programs: ['uv'], preparations: [{ isOfRoot: true }, { isOfRoot: true }] },
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
