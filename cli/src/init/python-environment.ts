/** The environment of a Python project: its interpreter, and the packages that are installed for it. */
import type { Finding, Folder, Surroundings } from './finding.ts';

type Environment = Pick<Finding, 'programs' | 'preparations'>;

/** Where an environment is: a folder of the project, or what a command prints. */
type Place = { readonly folder: string } | { readonly command: string };

interface Manager {
  readonly program: string;
  /** Files that show its use, and the text that proves it. */
  readonly marks: readonly (readonly [file: string, mark: RegExp])[];
  /** Installs what the project needs; null if the tool does not install packages. */
  readonly install: string | null;
  readonly place: Place;
}

const ANY = /^/;

/** The first that a project uses counts: others read the file of pyenv, too. */
const MANAGERS: readonly Manager[] = [
  {
    program: 'uv',
    marks: [
      ['uv.lock', ANY],
      ['pyproject.toml', /^\[tool\.uv\b/m],
    ],
    install: 'uv sync',
    place: { folder: '.venv' },
  },
  {
    program: 'poetry',
    marks: [
      ['poetry.lock', ANY],
      ['pyproject.toml', /^\[tool\.poetry\b/m],
    ],
    install: 'poetry install',
    place: { command: 'poetry env info --path' },
  },
  {
    program: 'pipenv',
    marks: [['Pipfile', ANY]],
    install: 'pipenv install --dev',
    place: { command: 'pipenv --venv' },
  },
];
const PYENV: Manager = {
  program: 'pyenv',
  marks: [['.python-version', ANY]],
  install: null,
  place: { command: 'pyenv prefix' },
};

/** The environment of the folder, else of the searched one. `program` runs the tests, and is installed with the packages. */
export function pythonEnvironment(
  folder: Folder,
  program: string,
  { root, isWindows }: Surroundings,
): Environment {
  const own = environmentIn(folder, isWindows);
  if (own !== null) return own;
  const ofRoot = folder === root ? null : environmentIn(root, isWindows);
  if (ofRoot === null) return { programs: [program], preparations: [] };
  const preparations = ofRoot.preparations.map((each) => ({ ...each, isOfRoot: true }));
  return { ...ofRoot, preparations };
}

function environmentIn(folder: Folder, isWindows: boolean): Environment | null {
  const manager = MANAGERS.find((each) => isUsed(each, folder));
  if (manager !== undefined) return managed(manager, folder, isWindows);
  const own = ['.venv', 'venv'].find((name) => folder.list(`${name}/`).includes('pyvenv.cfg'));
  if (own !== undefined) return ofFolder(own, folder, isWindows);
  return isUsed(PYENV, folder) ? managed(PYENV, folder, isWindows) : null;
}

const isUsed = ({ marks }: Manager, folder: Folder): boolean =>
  marks.some(([file, mark]) => folder.entries.includes(file) && mark.test(folder.text(file) ?? ''));

function managed(
  { program, install, place }: Manager,
  { entries }: Folder,
  isWindows: boolean,
): Environment {
  // The environment of other tools may be outside of the project: they find out themselves.
  const isDone = 'folder' in place && entries.includes(`${place.folder}/`);
  const first = install === null ? [] : [{ commands: [install], note: '', isDone }];
  return { programs: [program], preparations: [...first, inPath(place, program, isWindows)] };
}

/** Files that name the packages of a project without a manager, and what installs them. */
const PACKAGES = [
  ['requirements-dev.txt', '-r requirements-dev.txt'],
  ['requirements.txt', '-r requirements.txt'],
  ['pyproject.toml', '-e .'],
] as const;

function ofFolder(name: string, { entries }: Folder, isWindows: boolean): Environment {
  const python = isWindows ? 'python' : 'python3';
  const own = isWindows ? `${name}\\Scripts\\python` : `${name}/bin/python`;
  const wanted = PACKAGES.filter(([file]) => entries.includes(file)).map(([, words]) => words);
  const pip = wanted.slice(0, 1).map((words) => `${own} -m pip install ${words}`);
  const commands = [`${python} -m venv ${name}`, ...pip];
  return {
    programs: [],
    preparations: [{ commands, note: '', isDone: true }, inPath({ folder: name }, name, isWindows)],
  };
}

/** Puts the programs of the environment first in PATH, for the later steps of the job. */
const inPath = (place: Place, name: string, isWindows: boolean) => ({
  commands: [isWindows ? windowsLine(place) : unixLine(place)],
  note: `The interpreter and the programs of ${name} come first from here on.`,
  isDone: false,
});

/** Bash quotes the value: the folder of a project may have blanks. */
function unixLine(place: Place): string {
  const root = 'folder' in place ? `$PWD/${place.folder}` : `$(${place.command})`;
  return `printf 'export PATH=%q\\n' "${root}/bin:$PATH" >> "$OPENTF_VARIABLES"`;
}

function windowsLine(place: Place): string {
  const record = (root: string) => `echo set "PATH=${root}\\Scripts;%PATH%">>"%OPENTF_VARIABLES%"`;
  if ('folder' in place) return record(`%CD%\\${place.folder}`);
  // A batch file reads the output of a command by a loop alone.
  return `for /f "delims=" %%i in ('${place.command}') do ${record('%%i')}`;
}
