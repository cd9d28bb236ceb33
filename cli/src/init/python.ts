/** Tests of Python: pytest, and Robot Framework. */
import type { Detector, Folder } from './finding.ts';
import { pythonEnvironment } from './python-environment.ts';

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

export const findPytest: Detector = (folder, surroundings) => {
  const by = pytestMark(folder);
  if (by === null) return [];
  const environment = pythonEnvironment(folder, 'pytest', surroundings);
  const step = { uses: 'pytest/pytest@v1', with: {} };
  const title = `pytest, by ${by}`;
  return [{ job: 'pytest', title, ...environment, step, notes: [], isForBelow: true }];
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

export const findRobot: Detector = (folder, surroundings) => {
  const isRobot = (name: string) => name.endsWith('.robot');
  const own = folder.entries.find(isRobot);
  const below = ROBOT_FOLDERS.find((path) => folder.list(path).some(isRobot));
  if (own === undefined && below === undefined) return [];
  const datasource = own === undefined ? (below ?? '') : '.';
  const by = own ?? `${below}${folder.list(below ?? '').find(isRobot)}`;
  const step = { uses: 'robotframework/robot@v1', with: { datasource } };
  const environment = pythonEnvironment(folder, 'robot', surroundings);
  const title = `Robot Framework, by ${by}`;
  return [{ job: 'robot', title, ...environment, step, notes: [], isForBelow: true }];
};
