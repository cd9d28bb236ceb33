/** `tutti init --from`: workflows of other build servers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../testing/run-command.ts';

const GITHUB = `
name: CI
on: [push]
env: {SHOP: 'a $b'}
jobs:
  unit:
    name: Unit tests
    runs-on: \${{ matrix.os }}
    timeout-minutes: 10
    strategy: {fail-fast: false, matrix: {os: [linux], node: [22, 24]}}
    services: {db: {image: postgres}}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 22}
      - run: npm test
        id: runner
        working-directory: web
        env: {TOKEN: '\${{ secrets.TOKEN }}', NODE: '\${{ env.SHOP }}', REF: '\${{ github.ref }}'}
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: 'logs-\${{ steps.runner.outputs.v }}', path: logs}
      - run: echo \${{ github.sha }}
  lint:
    runs-on: ubuntu-latest
    needs: [unit, shared]
    if: github.ref == 'refs/heads/main'
    steps: [{run: npm run lint}]
  shared:
    uses: ./.github/workflows/shared.yml
`;

const GITLAB = `
stages: [build, test]
variables: {MODE: fast, LEVEL: {value: '2'}}
default: {tags: [docker], image: node:22}
before_script: [npm ci]
.base: {timeout: 1h 30m, variables: {BASE: '1'}}
make:
  stage: build
  script: make
unit tests:
  extends: .base
  variables: {OWN: '2'}
  parallel: {matrix: [{NODE: ['22', '24']}]}
  script: [npm test, 'echo done']
  after_script: [echo after]
  allow_failure: true
  rules: [{when: always}]
  artifacts: {reports: {junit: report.xml}, paths: [logs]}
`;

async function translated(text: string, words: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ci.yml');
  writeFileSync(file, text);
  const result = await runCommand(['init', folder, '--from', file, ...words]);
  return { ...result, folder };
}

async function workflowOf(text: string) {
  const { stdout } = await translated(text, ['--output', '-']);
  const checked = await runCommand(['validate', '-', '--format', 'json'], { input: stdout });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('"problems": []')]);
  return { text: stdout, workflow: parse(stdout) };
}

const SOURCES = `\${{ variables.TUTTI_SOURCE_DIR }}`;
const CHECKOUT = {
  if: "variables.TUTTI_SOURCE_DIR == 'sources'",
  run: 'echo ::error::Nothing was checked out. && exit 1',
};

test('a workflow of GitHub Actions', async () => {
  const { workflow } = await workflowOf(GITHUB);
  expect(workflow).toEqual({
    metadata: { name: 'CI' },
    variables: { TUTTI_SOURCE_DIR: 'sources', SHOP: { value: 'a $b', verbatim: true } },
    secrets: { TOKEN: '' },
    jobs: {
      unit: {
        name: 'Unit tests',
        'runs-on': [`\${{ matrix.os }}`],
        strategy: { 'fail-fast': false, matrix: { os: ['linux'], node: [22, 24] } },
        'timeout-minutes': 10,
        defaults: { run: { 'working-directory': SOURCES } },
        steps: [
          CHECKOUT,
          {
            run: 'npm test',
            id: 'runner',
            'working-directory': `${SOURCES}/web`,
            variables: { TOKEN: `\${{ secrets.TOKEN }}`, NODE: `\${{ variables.SHOP }}` },
          },
          {
            if: 'always()',
            uses: 'actions/upload-artifact@v1',
            with: { name: `logs-\${{ steps.runner.outputs.v }}`, path: 'logs' },
            'working-directory': SOURCES,
          },
        ],
      },
      lint: { 'runs-on': ['linux'], needs: ['unit'], steps: [{ run: 'npm run lint' }] },
    },
  });
});

test('a pipeline of GitLab', async () => {
  const { workflow } = await workflowOf(GITLAB);
  const defaults = { run: { 'working-directory': SOURCES } };
  const tags = ['linux', 'docker'];
  expect(workflow).toEqual({
    metadata: { name: expect.stringMatching(/^tutti-init-/) },
    variables: { TUTTI_SOURCE_DIR: 'sources', MODE: 'fast', LEVEL: '2' },
    jobs: {
      make: { 'runs-on': tags, defaults, steps: [CHECKOUT, { run: 'npm ci\nmake' }] },
      'unit-tests': {
        'runs-on': tags,
        needs: ['make'],
        strategy: { matrix: { NODE: ['22', '24'] } },
        variables: { BASE: '1', OWN: '2', NODE: `\${{ matrix.NODE }}` },
        defaults,
        'timeout-minutes': 90,
        'continue-on-error': true,
        steps: [
          CHECKOUT,
          { run: 'npm ci\nnpm test\necho done' },
          { if: 'always()', run: 'echo after' },
          {
            if: 'always()',
            run: 'for report in report.xml; do echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/$report"; done',
          },
        ],
      },
    },
  });
});

test('what has no equivalent is printed, and stands in the file', async () => {
  const github = (await translated(GITHUB)).stdout;
  for (const line of [
    'workflow: "on" has no equivalent.',
    'job shared: left out, since it calls another workflow.',
    'job unit: "services" has no equivalent.',
    'job unit, step 2: left out: the machine has to have node; "runs-on" can name a tag for it.',
    'job unit, step 3: env: REF: left out, since "github.ref" has no equivalent.',
    'job unit, step 5: left out, since "github.sha" has no equivalent.',
    `job lint: if: left out, since "github.ref == 'refs/heads/main'" has no equivalent.`,
  ]) {
    expect(github).toContain(`\n  ${line}\n`);
  }
  const { text } = await workflowOf(GITLAB);
  for (const line of [
    'default: "image" has no equivalent.',
    'job unit tests: "rules" has no equivalent.',
    'job unit tests: artifacts: "paths" has no equivalent.',
  ]) {
    expect(text).toContain(`# Not translated: ${line}\n`);
  }
});

test.each([
  ['{', 'Cannot read the workflow to translate'],
  ['stages: [a]', 'has no job that can be translated.'],
  ['[]', 'has no object.'],
])('%j is refused', async (text, message) => {
  const { code, stderr } = await translated(text);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
