/** Tests of Java, Python, Robot Framework, Go, Rust, .NET and PHP, by the files that their tools read. */
import type { Detector, Finding, Folder } from './finding.ts';

export const findJava: Detector = ({ entries }) => {
  if (entries.includes('pom.xml')) {
    const step = { uses: 'junit/junit@v1', with: { datasource: '.' } };
    return [plain('junit', 'JUnit with Maven, by pom.xml', ['mvn'], step)];
  }
  const build = ['build.gradle.kts', 'build.gradle'].find((file) => entries.includes(file));
  if (build === undefined) return [];
  const wrapper = entries.includes('gradlew');
  const programs = wrapper ? ['java'] : ['gradle'];
  const step = { uses: 'junit/gradletest@v1', with: { wrapper } };
  return [plain('junit', `JUnit with Gradle, by ${build}`, programs, step)];
};

/** Files that show a use of pytest, and the text that proves it. */
const PYTEST_MARKS: readonly (readonly [file: string, mark: RegExp])[] = [
  ['pytest.ini', /^/],
  ['conftest.py', /^/],
  ['pyproject.toml', /\[tool\.pytest|["']pytest\b/],
  ['setup.cfg', /\[tool:pytest\]/],
  ['tox.ini', /\[pytest\]|\bpytest\b/],
  ['requirements.txt', /^pytest\b/m],
  ['requirements-dev.txt', /^pytest\b/m],
];
const PYTEST_FILE = /^(?:test_.*|.*_test)\.py$/;

export const findPytest: Detector = (folder) => {
  const by = pytestMark(folder);
  if (by === null) return [];
  const step = { uses: 'pytest/pytest@v1', with: {} };
  return [plain('pytest', `pytest, by ${by}`, ['pytest'], step)];
};

function pytestMark(folder: Folder): string | null {
  const marked = PYTEST_MARKS.find(([file, mark]) => {
    const text = folder.entries.includes(file) ? folder.text(file) : null;
    return text !== null && mark.test(text);
  });
  if (marked !== undefined) return marked[0];
  for (const path of ['', 'tests/', 'test/']) {
    const names = path === '' ? folder.entries : folder.list(path);
    const file = names.find((name) => PYTEST_FILE.test(name));
    if (file !== undefined) return `${path}${file}`;
  }
  return null;
}

const ROBOT_FOLDERS = ['tests/', 'test/', 'robot/', 'atests/', 'acceptance/'];

export const findRobot: Detector = (folder) => {
  const isRobot = (name: string) => name.endsWith('.robot');
  const own = folder.entries.find(isRobot);
  const below = ROBOT_FOLDERS.find((path) => folder.list(path).some(isRobot));
  if (own === undefined && below === undefined) return [];
  const datasource = own === undefined ? (below ?? '') : '.';
  const by = own ?? `${below}${folder.list(below ?? '').find(isRobot)}`;
  const step = { uses: 'robotframework/robot@v1', with: { datasource } };
  return [plain('robot', `Robot Framework, by ${by}`, ['robot'], step)];
};

export const findGo: Detector = ({ entries }) =>
  entries.includes('go.mod')
    ? [plain('go', 'Go, by go.mod', ['go'], { uses: 'go/test@v1', with: {} })]
    : [];

export const findRust: Detector = ({ entries }) =>
  entries.includes('Cargo.toml')
    ? [
        plain('cargo', 'Cargo, by Cargo.toml', ['cargo', 'cargo-nextest'], {
          uses: 'cargo/test@v1',
          with: {},
        }),
      ]
    : [];

export const findDotnet: Detector = ({ entries }) => {
  const project = entries.find((name) => /\.(?:slnx?|(?:cs|fs|vb)proj)$/.test(name));
  if (project === undefined) return [];
  const step = { uses: 'dotnet/test@v1', with: { project } };
  return [plain('dotnet', `.NET, by ${project}`, ['dotnet'], step)];
};

export const findPhp: Detector = ({ entries }) => {
  const by = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((file) =>
    entries.includes(file),
  );
  if (by === undefined) return [];
  const preparation = { command: 'composer install', isDone: entries.includes('vendor/') };
  const step = { uses: 'phpunit/phpunit@v1', with: {} };
  return [{ ...plain('phpunit', `PHPUnit, by ${by}`, ['php'], step), preparation }];
};

function plain(
  job: string,
  title: string,
  programs: readonly string[],
  step: Finding['step'],
): Finding {
  return { job, title, programs, preparation: null, step, notes: [] };
}
