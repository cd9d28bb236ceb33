import { expect, test } from 'vitest';
import { found, script, searched, uses } from './folders.fixture.ts';

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
  [{ 'package.json': uses('jest') }, 'Jest, by package.json', { uses: 'jest/jest@v1', with: {} }],
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
    { 'Shop.Tests.csproj': '<PackageReference Include="xunit"/>' },
    '.NET, by Shop.Tests.csproj',
    { uses: 'dotnet/test@v1', with: { project: 'Shop.Tests.csproj' } },
  ],
  [
    { 'composer.json': '{"require-dev": {"phpunit/phpunit": "^12"}}', 'tests/CartTest.php': '' },
    'PHPUnit, by composer.json',
    { uses: 'phpunit/phpunit@v1', with: { test: 'tests' } },
  ],
  [
    { 'package.json': uses('@cucumber/cucumber') },
    'Cucumber-js, by package.json',
    { uses: 'cucumber-js/cucumber-js@v1', with: {} },
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
  [{ 'Shop.csproj': '<Project/>', 'composer.json': '{}' }],
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

test.each([
  [{ Rakefile: 'Rake::TestTask.new' }, 'No job for Ruby (Rakefile): there is no function for it.'],
  [
    { 'a/CMakeLists.txt': 'enable_testing()' },
    'No job for CTest (a/CMakeLists.txt): there is no function for it.',
  ],
  [{ 'mix.exs': '' }, 'No job for ExUnit (mix.exs): there is no function for it.'],
  [{ Makefile: 'test: all' }, 'No job for make test (Makefile): there is no function for it.'],
  [
    { 'b/package.json': script('ava') },
    'b: Got no test cases of "npm test": it writes no report that is known.',
  ],
  [
    {
      'a.postman_collection.json': '',
      'x.postman_environment.json': '',
      'y.postman_environment.json': '',
    },
    'Chose no environment for a.postman_collection.json: there are x.postman_environment.json, y.postman_environment.json.',
  ],
])('%j leaves something undone', (files, sentence) => {
  expect(searched(files).undone).toEqual([sentence]);
});

test('Newman comes from the packages of the folder or of the root, else from the machine', () => {
  const collection = {
    'api/a.postman_collection.json': '',
    'api/dev.postman_environment.json': '',
  };
  const inputs = {
    collection: 'a.postman_collection.json',
    environment: 'dev.postman_environment.json',
  };
  const step = { uses: 'postman/postman@v1', with: inputs };
  expect(found(collection)).toMatchObject([
    { step, programs: ['npx', 'newman'], preparations: [] },
  ]);
  const ofRoot = { ...collection, 'package.json': uses('newman'), 'package-lock.json': '' };
  expect(found(ofRoot)).toMatchObject([
    { step, folder: 'api', preparations: [{ commands: ['npm ci'], isOfRoot: true }] },
  ]);
});

test.each([
  [{ 'phpunit.xml': '' }, ['phpunit'], []],
  [{ 'phpunit.xml': '', 'vendor/x': '' }, ['php'], []],
  [{ 'phpunit.xml': '', 'composer.json': '{}' }, ['php', 'composer'], [false]],
  [{ 'phpunit.xml': '', 'composer.json': '{}', 'vendor/x': '' }, ['php'], [true]],
])('Composer is called where %j has its file', (files, programs, done) => {
  const [finding] = found(files);
  expect(finding?.programs).toEqual(programs);
  expect(finding?.preparations.map(({ isDone }) => isDone)).toEqual(done);
});
