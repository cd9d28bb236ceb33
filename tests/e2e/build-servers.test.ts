/** The recipes of docs/guides/build-servers.md do what they say: their scripts, in the shells that the build servers give them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { GITLAB_TOKEN, openGitlab } from '../../cli/src/testing/gitlab.ts';
import { sharedServer } from '../support/shared-server.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/guides/build-servers.md'), 'utf8');
const { server } = await sharedServer({ tags: ['linux'], name: 'builder' });
const gitlab = await openGitlab();
afterAll(() => gitlab.close());

/** The first block of a section, as text. */
function blockOf(section: string): string {
  const [, below = ''] = page.split(`\n## ${section}\n`);
  const block = /^```\w+\n([\s\S]*?)^```$/m.exec(below)?.[1];
  if (block === undefined) throw new Error(`There is no block under ${section}`);
  return block;
}

const GITHUB = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'];
/** For each build server, the shell that runs a job's lines and the scripts of the recipe. The first script installs Tutti. */
const RECIPES: Readonly<
  Record<
    string,
    {
      readonly shell: readonly string[];
      /** Environment variables that the build server sets for the job. */
      readonly env?: (folder: string) => Readonly<Record<string, string>>;
      scripts(): readonly string[];
    }
  >
> = {
  'GitHub Actions': {
    shell: GITHUB,
    env: (folder) => ({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') }),
    scripts: () =>
      parse(blockOf('GitHub Actions'))
        .jobs.tutti.steps.map((step: { run?: string }) => step.run)
        .filter((run: string | undefined) => run !== undefined),
  },
  'GitLab CI': {
    shell: ['bash', '-eo', 'pipefail', '-c'],
    env: () => ({
      GITLAB_CI: 'true',
      CI_SERVER_URL: gitlab.url,
      CI_MERGE_REQUEST_PROJECT_ID: '7',
      CI_MERGE_REQUEST_IID: '12',
      GITLAB_TOKEN,
    }),
    scripts: () => {
      const { tests } = parse(blockOf('GitLab CI'));
      return [tests.before_script.join('\n'), tests.script.join('\n')];
    },
  },
  Jenkins: {
    shell: ['sh', '-xe', '-c'],
    scripts: () =>
      [...blockOf('Jenkins').matchAll(/sh '''\n([\s\S]*?)'''/g)].map((match) => match[1] ?? ''),
  },
  'Azure Pipelines': {
    shell: ['bash', '--noprofile', '--norc', '-c'],
    scripts: () =>
      parse(blockOf('Azure Pipelines'))
        .steps.map((step: { bash?: string }) => step.bash)
        .filter((run: string | undefined) => run !== undefined),
  },
};

const workflow = (command: string) => `
metadata: {name: recipe}
jobs:
  main:
    runs-on: linux
    steps:
      - run: |
          echo '<testsuite name="shop"><testcase name="adds"/><testcase name="sells">${command === 'false' ? '<failure/>' : ''}</testcase></testsuite>' > report.xml
          echo "::attach type=application/vnd.opentestfactory.shop-surefire+xml::$PWD/report.xml"
          ${command}
`;

/** Runs the scripts one after the other, as steps of one job are: the first one that fails ends it. */
async function runRecipe(name: string, command: string) {
  const recipe = RECIPES[name];
  if (recipe === undefined) throw new Error(`There is no recipe ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'tutti-recipe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'tests.yaml'), workflow(command));
  const [, ...scripts] = recipe.scripts();
  expect(scripts.length).toBeGreaterThan(0);
  let code = 0;
  for (const script of scripts) {
    if (code === 0)
      code = await runScript(recipe.shell, script, folder, recipe.env?.(folder) ?? {});
  }
  const textOf = (file: string) => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  return { code, results: textOf('results.xml'), summary: textOf('summary.md') };
}

async function runScript(
  [program = '', ...words]: readonly string[],
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(program, [...words, script], {
    cwd,
    env: {
      ...process.env,
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      TUTTI_SERVER: server.url,
      TUTTI_TOKEN: server.token,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [, , [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return code as number;
}

describe.each(Object.keys(RECIPES))('%s', (name) => {
  test('tests that pass are published, and the build goes on', async () => {
    const { code, results } = await runRecipe(name, 'true');
    expect(code).toBe(0);
    expect(results).toMatch(/tests="2" failures="0"/);
  });

  test('tests that fail are published, and the build fails', async () => {
    const { code, results } = await runRecipe(name, 'false');
    expect(code).toBe(102);
    expect(results).toMatch(/tests="2" failures="1"/);
  });

  test('npm installs the package of a release', () => {
    const [first = ''] = RECIPES[name]?.scripts() ?? [];
    expect(first).toMatch(/npm install --global (--prefix "\S+" )?\.\/tools\/tutti-[\d.]+\.tgz$/m);
  });
});

test.each([
  ['GitHub Actions', (summary: string | null) => summary],
  ['GitLab CI', () => gitlab.targets.get('merge_requests/12')?.notes.at(-1)?.body],
])('%s: the verdict is where the team reads it', async (name, errorIn) => {
  const { summary } = await runRecipe(name, 'false');
  expect(errorIn(summary)).toContain('### Quality gate `strict`: not passed');
});
