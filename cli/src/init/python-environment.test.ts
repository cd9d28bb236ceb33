import { expect, test } from 'vitest';
import { found } from './folders.fixture.ts';

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

test('Python folders without an environment use that of the root', () => {
  const files = { 'uv.lock': '', 'api/tests/test_a.py': '' };
  expect(found(files)).toMatchObject([
    { folder: 'api', programs: ['uv'], preparations: [{ isOfRoot: true }, { isOfRoot: true }] },
  ]);
});
