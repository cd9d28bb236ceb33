/** The workflow that `tutti init` writes for a project runs its tests, with the real tools. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { detailsOf } from '../support/api.ts';
import { type Found, findProgram, need, programFound } from '../support/found-tool.ts';
import { ended, logOf, type Manifest, start, workersEnded } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { findGo } from './go.ts';
import {
  fetchWithMaven,
  installedTools,
  installNextest,
  installNode,
  projectFolder,
} from './tools.ts';

const RUN_WITHIN_MS = 150_000;
const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const QUICKSTART = join(import.meta.dirname, '../../examples/quickstart');

// Before there is an agent, which finds it then.
const go = findGo();
// The sources lie beside the workspaces of the agent.
const allowPaths = [tmpdir()];
const { server } = await sharedServer({ tags: ['linux'], name: 'newcomer', allowPaths });
const [jest, mocha, python, maven] = await Promise.all([
  installNode('jest'),
  installNode('mocha'),
  installedTools('bin'),
  fetchWithMaven(projectFolder('junit')),
]);
const node = programFound('node', process.execPath);
const nextest = await installNextest();
const phpunit = programFound('phpunit', findProgram('phpunit'));

interface Row {
  readonly project: string;
  readonly folder: string;
  readonly found: Found<string>;
  /** The found tool is a folder of packages, or of programs, for the project; or the programs of its environment. */
  readonly gives?: 'packages' | 'programs' | 'environment';
  /** Files that the project has not, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** The project that this one is in a folder of; its packages are those of this repository. */
  readonly within?: string;
  readonly status: 'DONE' | 'FAILED';
  /** Number of its test cases with each status. */
  readonly counts: Readonly<Record<string, number>>;
}

const row = (
  project: string,
  found: Found<string>,
  more: Omit<Row, 'project' | 'folder' | 'found'>,
) => ({
  project,
  folder: projectFolder(project),
  found,
  ...more,
});

test.for<Row>([
  {
    project: 'the quickstart',
    folder: QUICKSTART,
    found: node,
    status: 'DONE',
    counts: { SUCCESS: 18 },
  },
  row('jest', jest, {
    gives: 'packages',
    status: 'FAILED',
    counts: { ERROR: 1, FAILURE: 1, SKIPPED: 2, SUCCESS: 2 },
  }),
  row('mocha', mocha, {
    gives: 'packages',
    status: 'FAILED',
    counts: { FAILURE: 2, SKIPPED: 2, SUCCESS: 2 },
  }),
  row('pytest', python, {
    gives: 'environment',
    status: 'FAILED',
    counts: { ERROR: 1, FAILURE: 1, SKIPPED: 1, SUCCESS: 4 },
  }),
  row('robotframework', python, {
    gives: 'programs',
    status: 'FAILED',
    counts: { FAILURE: 2, SKIPPED: 1, SUCCESS: 1 },
  }),
  row('junit', maven, {
    // The wrapper of a project fetches its Maven; this one takes that of the machine.
    files: { mvnw: '#!/bin/sh\nexec mvn "$@"\n' },
    status: 'FAILED',
    counts: { ERROR: 1, FAILURE: 1, SKIPPED: 1, SUCCESS: 1 },
  }),
  row('go', go, {
    gives: 'packages',
    // A project in a folder of another: its job is the second one.
    within: 'vitest',
    files: { 'package.json': '{"devDependencies": {"vitest": "*"}}' },
    status: 'FAILED',
    counts: { ERROR: 1, FAILURE: 4, SKIPPED: 3, SUCCESS: 6 },
  }),
  row('cargo', nextest, {
    gives: 'programs',
    status: 'FAILED',
    counts: { FAILURE: 5, SUCCESS: 3 },
  }),
  row('phpunit', phpunit, { status: 'FAILED', counts: { FAILURE: 1, SUCCESS: 1 } }),
])(
  'the tests of $project',
  async ({ project, folder, found, gives, within, files = {}, status, counts }, context) => {
    const tool = need(found, project, context);
    const copy = mkdtempSync(join(tmpdir(), 'tutti init-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    if (within !== undefined) cpSync(projectFolder(within), copy, { recursive: true });
    cpSync(folder, within === undefined ? copy : join(copy, project), { recursive: true });
    rmSync(join(copy, 'workflow.yaml'), { force: true });
    const packages = within === undefined ? tool : join(import.meta.dirname, '../../node_modules');
    if (gives === 'packages') symlinkSync(packages, join(copy, 'node_modules'), 'dir');
    if (gives === 'environment') symlinkSync(dirname(tool), join(copy, '.venv'), 'dir');
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(copy, name), text, { mode: 0o755 });
    }
    execFileSync(process.execPath, [TUTTI, 'init'], { cwd: copy });
    const written: Manifest = parse(readFileSync(join(copy, 'workflow.yaml'), 'utf8'));
    const path = gives === 'programs' ? { PATH: `${tool}:$PATH` } : {};
    const id = await start(server, { ...written, variables: { TUTTI_SOURCE_DIR: copy, ...path } });
    const end = await ended(server, id, { withinMs: RUN_WITHIN_MS });
    await workersEnded(server, id);
    const answer = await server.call('GET', `/workflows/${id}/datasources/testcases`);
    const items = detailsOf(answer).items as readonly { readonly status: string }[];
    const counted: Record<string, number> = {};
    for (const each of items) counted[each.status] = (counted[each.status] ?? 0) + 1;
    expect([end, counted]).toEqual([status, counts]);
  },
);

test('a server checks out the remote of the project, or says that nothing was checked out', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'tutti init-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: copy });
  writeFileSync(join(copy, 'package.json'), '{"scripts": {"test": "node --test"}}');
  writeFileSync(join(copy, 'a.test.js'), "require('node:test')('adds', () => {});");
  const job = {
    'runs-on': 'ubuntu-latest',
    steps: [{ uses: 'actions/checkout@v4' }, { run: 'node a.test.js' }],
  };
  writeFileSync(join(copy, 'ci.yml'), JSON.stringify({ on: 'push', jobs: { job } }));
  const endOf = async (...words: readonly string[]) => {
    execFileSync(process.execPath, [TUTTI, 'init', '--force', ...words], { cwd: copy });
    const id = await start(server, parse(readFileSync(join(copy, 'workflow.yaml'), 'utf8')));
    return [await ended(server, id), await logOf(server, id)];
  };
  const nothing = ['FAILED', expect.stringContaining('Nothing was checked out.')];
  expect(await endOf()).toEqual(nothing);
  expect(await endOf('--from', 'ci.yml')).toEqual(nothing);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'a test');
  git('remote', 'add', 'origin', `file://${copy.replaceAll(' ', '%20')}`);
  expect(await endOf()).toEqual(['DONE', expect.stringContaining('adds')]);
  expect(await endOf('--from', 'ci.yml')).toEqual(['DONE', expect.stringContaining('adds')]);
});
