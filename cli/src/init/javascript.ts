/** Tests of JavaScript, by package.json and the configurations of runners. */
import type { Detector, Finding, Folder, Preparation, Surroundings, TestStep } from './finding.ts';
import { isMemberOf, memberPatterns } from './workspaces.ts';

interface Runner {
  readonly package: string;
  readonly config: RegExp;
  readonly title: string;
  readonly job: string;
  readonly uses: string;
}

const configOf = (name: string) => new RegExp(`^${name}\\.config\\.[cm]?[jt]s$`);

/** Packages that run tests, and their steps. */
const RUNNERS: readonly Runner[] = [
  {
    package: '@playwright/test',
    config: configOf('playwright'),
    title: 'Playwright',
    job: 'playwright',
    uses: 'playwright/npx@v1',
  },
  {
    package: 'cypress',
    config: configOf('cypress'),
    title: 'Cypress',
    job: 'cypress',
    uses: 'cypress/cypress@v1',
  },
  {
    package: 'vitest',
    config: configOf('vitest'),
    title: 'Vitest',
    job: 'vitest',
    uses: 'vitest/vitest@v1',
  },
  {
    package: 'jest',
    config: configOf('jest'),
    title: 'Jest',
    job: 'jest',
    uses: 'jest/jest@v1',
  },
  {
    package: '@cucumber/cucumber',
    config: /^cucumber\.(?:[cm]?js|json|ya?ml)$/,
    title: 'Cucumber-js',
    job: 'cucumber-js',
    uses: 'cucumber-js/cucumber-js@v1',
  },
  {
    package: 'mocha',
    config: /^\.mocharc\./,
    title: 'Mocha',
    job: 'mocha',
    uses: 'mocha/mocha@v1',
  },
];

export interface Package {
  readonly dependencies: ReadonlySet<string>;
  readonly testScript: string | null;
  /** Patterns of the packages in folders below that are installed with it; null if it is no workspace. */
  readonly members: readonly string[] | null;
}

const NO_PACKAGE: Package = { dependencies: new Set(), testScript: null, members: null };

/** A finding as its runner or script makes it. */
type Runs = Omit<Finding, 'programs' | 'preparations'>;

export const findJavaScript: Detector = (folder, surroundings) => {
  const found = packageOf(folder) ?? NO_PACKAGE;
  const runners = RUNNERS.flatMap((runner) => {
    const by = markOf(runner, folder, found);
    return by === null ? [] : [findingOf(runner, found, by, folder)];
  });
  const script = found.testScript === null ? [] : [scriptFinding(found.testScript, found)];
  const runs = runners.length > 0 ? runners : script;
  if (runs.length === 0) return [];
  const preparations = preparationsOf(folder, found, surroundings);
  return runs.map((each) => ({ programs: ['node', 'npx'], preparations, ...each }));
};

function markOf(runner: Runner, { entries }: Folder, found: Package): string | null {
  const { dependencies, testScript } = found;
  // Packages of a workspace use the runner of its root.
  const isCalled = new RegExp(`^(?:npx )?${runner.job}( |$)`).test(testScript ?? '');
  if (dependencies.has(runner.package) || isCalled) return 'package.json';
  return entries.find((name) => runner.config.test(name)) ?? null;
}

function findingOf(runner: Runner, found: Package, by: string, { entries }: Folder): Runs {
  const { job, title, uses } = runner;
  const isForBelow = found.members === null || entries.some((name) => runner.config.test(name));
  const givesWayTo = isForBelow ? [] : [job];
  const step = { uses, with: {} };
  return { job, title: `${title}, by ${by}`, step, notes: [], isForBelow, givesWayTo };
}

/** Node's own runner is the only one that is recognized behind `npm test`. */
function scriptFinding(script: string, { members }: Package): Runs {
  const jobs = [...RUNNERS.map(({ job }) => job), 'node-test', 'test'];
  const shared = { isForBelow: false, givesWayTo: members === null ? [] : jobs };
  const step = nodeTest(script);
  if (step !== null) {
    return { job: 'node-test', title: 'node:test, by package.json', step, notes: [], ...shared };
  }
  const notes = [
    'Attach a report (tutti docs guides/results), and each test becomes a test case of the run.',
  ];
  const title = 'npm test, by package.json';
  const undone = ['Got no test cases of "npm test": it writes no report that is known.'];
  return { job: 'test', title, step: { run: 'npm test' }, notes, undone, ...shared };
}

/** Only a call without unknown options can be converted. */
function nodeTest(script: string): TestStep | null {
  const match = /^node\s+--test(?:\s+([^-\s&|;'"$][^\s&|;'"$]*))?$/.exec(script.trim());
  if (match === null) return null;
  // Without arguments, each version of Node finds tests by its own rules.
  const [, test] = match;
  return { uses: 'node-test/node-test@v1', with: test === undefined ? {} : { test } };
}

/** Lock files, and their install commands. */
const INSTALLERS = [
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['package-lock.json', 'npm ci'],
] as const;

/** Packages of a workspace are installed in its root, and so are those of folders without package.json. */
export function preparationsOf(
  folder: Folder,
  found: Package,
  { root, path, isWindows }: Surroundings,
): readonly Preparation[] {
  const isOwn = folder === root || folder.entries.includes('package.json');
  const isOfRoot = folder !== root && (!isOwn || isMemberOf(packageOf(root)?.members ?? [], path));
  const { entries } = isOfRoot ? root : folder;
  const locked = INSTALLERS.find(([file]) => entries.includes(file));
  const commands = [locked?.[1] ?? 'npm install'];
  const isDone = entries.includes('node_modules/');
  const place = isOfRoot ? { isOfRoot } : {};
  const isNeeded = isOfRoot || found.dependencies.size > 0;
  const install = isNeeded ? [{ commands, note: '', isDone, ...place }] : [];
  return [...nodeVersion(folder, root, isWindows), ...install];
}

/** nvm is a function of the shell, for one step: the later ones need its PATH. It is not there on Windows. */
const USE_NVM = [
  '[ -n "$NVM_DIR" ] || NVM_DIR="$HOME/.nvm"',
  'if [ -s "$NVM_DIR/nvm.sh" ]; then',
  '  . "$NVM_DIR/nvm.sh" --no-use',
  '  nvm use || nvm install',
  `  printf 'export PATH=%q\\n' "$PATH" >> "$OPENTF_VARIABLES"`,
  'else',
  '  echo "::warning::This machine has no nvm, and runs the tests with Node $(node --version). The project has .nvmrc: $(cat .nvmrc)."',
  'fi',
];

function nodeVersion(folder: Folder, root: Folder, isWindows: boolean): readonly Preparation[] {
  const place = [folder, root].find(({ entries }) => entries.includes('.nvmrc'));
  if (place === undefined || isWindows) return [];
  const note = 'The version of Node that .nvmrc names.';
  const isOfRoot = place === folder ? {} : { isOfRoot: true };
  return [{ commands: USE_NVM, note, isDone: false, ...isOfRoot }];
}

/** The script that `npm init` writes for a project without tests. */
const NO_TESTS = /no test specified/;

export function packageOf(folder: Folder): Package | null {
  const text = folder.text('package.json');
  const content = text === null ? null : recordOf(parsed(text));
  if (content === null) return null;
  const names = ['dependencies', 'devDependencies'].flatMap((key) =>
    Object.keys(recordOf(content[key]) ?? {}),
  );
  const script = recordOf(content.scripts)?.test;
  const isTest = typeof script === 'string' && !NO_TESTS.test(script);
  const members = memberPatterns(folder, content.workspaces);
  return { dependencies: new Set(names), testScript: isTest ? script : null, members };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
