/** `tutti init` in real folders; tests/technologies runs the workflows that it writes. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../testing/run-command.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const VITEST = '{"devDependencies": {"vitest": "4", "jest": "30"}}';

test('a workflow is written, and the findings and the next steps are printed', async () => {
  const folder = folderWith({ 'package.json': VITEST });
  const { code, stdout } = await runCommand(['init', folder]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    ':\n  Vitest, by package.json\n  Jest, by package.json\nNot installed on this machine, and needed: node, npx.\nFound no git remote: on a server, say in the workflow where the sources come from.\nWrote ',
  );
  expect(stdout).toMatch(/What comes next:\n {2}cd \S+ && tutti run workflow\.yaml\n$/);
  const file = join(folder, 'workflow.yaml');
  expect(await runCommand(['validate', file])).toMatchObject({ code: 0 });
  // Editors read the schema of the line.
  const [, path = ''] =
    /^# yaml-language-server: \$schema=(.*)\n/.exec(readFileSync(file, 'utf8')) ?? [];
  const schema = JSON.parse(readFileSync(join(folder, path), 'utf8'));
  expect(schema.definitions.step.properties.uses.anyOf[0].enum).toContain('vitest/vitest@v1');
  expect(readFileSync(join(folder, '.tutti/.gitignore'), 'utf8')).toBe('*\n');
});

test.each([['validate'], ['plan'], ['run', '--dry-run', '--server', 'http://127.0.0.1:9']])(
  '%s brings back the schema, which a clone does not have',
  async (command, ...options) => {
    const folder = folderWith({ 'go.mod': '' });
    await runCommand(['init', folder]);
    const schema = join(folder, '.tutti/workflow.schema.json');
    const content = readFileSync(schema, 'utf8');
    rmSync(join(folder, '.tutti'), { recursive: true });
    await runCommand([command, join(folder, 'workflow.yaml'), ...options]);
    expect(readFileSync(schema, 'utf8')).toBe(content);
    expect(readFileSync(join(folder, '.tutti/.gitignore'), 'utf8')).toBe('*\n');
    // Other workflows name none.
    rmSync(join(folder, '.tutti'), { recursive: true });
    writeFileSync(join(folder, 'workflow.yaml'), 'metadata: {name: x}\njobs: {}\n');
    await runCommand([command, join(folder, 'workflow.yaml'), ...options]);
    expect(readdirSync(folder)).not.toContain('.tutti');
  },
);

test.each([
  ['nothing that is known', {}],
  ['tests in folders', { 'a b/go.mod': '', "it's/Cargo.toml": '', 'c/package.json': VITEST }],
  [
    'everything',
    {
      'package.json': VITEST,
      'pom.xml': '',
      'conftest.py': '',
      'x.robot': '',
      'go.mod': '',
      'Cargo.toml': '',
      'a.sln': '',
      'phpunit.xml': '',
      'yarn.lock': '',
      'node_modules/x': '',
    },
  ],
])('the workflow for %s is valid, without a remark', async (_what, files) => {
  const folder = folderWith(files);
  const { stdout: text } = await runCommand(['init', folder, '--output', '-']);
  const { code, stdout } = await runCommand(['validate', '-', '--format', 'json'], { input: text });
  expect([code, stdout]).toEqual([0, expect.stringContaining('"problems": []')]);
});

const origin = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`;

test.each([
  ['https://me:TOKEN@git.example.com/team/shop.git', 'https://git.example.com/team/shop.git'],
  ['https://TOKEN@git.example.com/shop?private_token=TOKEN', 'https://git.example.com/shop'],
  ['git@git.example.com:team/shop.git', 'git@git.example.com:team/shop.git'],
  ['ssh://git:TOKEN@git.example.com:22/shop.git', 'ssh://git@git.example.com:22/shop.git'],
])('the remote %s is checked out, without credentials', async (url, shown) => {
  const folder = folderWith({ '.git/config': origin(url), 'go.mod': '', "it's/go.mod": '' });
  const { stdout: text } = await runCommand(['init', folder, '--output', '-']);
  const first = {
    name: 'Sources on a server',
    if: "variables.TUTTI_SOURCE_DIR == 'sources'",
    uses: 'actions/checkout@v3',
  };
  const step = { ...first, with: { repository: shown, path: 'sources' } };
  expect(parse(text).jobs.go.steps[0]).toEqual(step);
  expect(text).not.toContain('TOKEN');
  expect((await runCommand(['init', folder])).stdout).toContain(`checks out ${shown}.\n`);
  const inner = await runCommand(['init', join(folder, "it's"), '--output', '-']);
  const { variables, jobs } = parse(inner.stdout);
  expect([variables.TUTTI_SOURCE_DIR, jobs.go.steps[0].if]).toEqual([
    "sources/it's",
    "variables.TUTTI_SOURCE_DIR == 'sources/it''s'",
  ]);
});

test('what was installed here is installed in sources that were checked out', async () => {
  const folder = folderWith({ 'package.json': VITEST, 'node_modules/x': '' });
  const { stdout: text } = await runCommand(['init', folder, '--output', '-']);
  const [checkout, install] = parse(text).jobs.vitest.steps;
  expect(install).toEqual({
    run: 'npm install',
    if: checkout.if,
    'working-directory': `\${{ variables.TUTTI_SOURCE_DIR }}`,
  });
});

test.each(['/srv/shop.git', '../shop.git', 'ext::sh -c x', `git@h:\${{secrets.X}}`])(
  'the remote %s is not offered',
  async (url) => {
    const folder = folderWith({ '.git/config': origin(url), 'go.mod': '' });
    const { stdout: text } = await runCommand(['init', folder, '--output', '-']);
    const [step] = parse(text).jobs.go.steps;
    expect([step.uses, step.run]).toEqual([
      undefined,
      expect.stringContaining('Nothing was checked out.'),
    ]);
  },
);

test('a file that is there is not replaced, unless that is wanted', async () => {
  const folder = folderWith({ 'workflow.yaml': 'mine', 'go.mod': '' });
  const file = join(folder, 'workflow.yaml');
  const { code, stderr } = await runCommand(['init', folder]);
  expect([code, stderr]).toEqual([
    2,
    `tutti: ${file} is there already.\nWhat to do: replace it with --force, or name another file with --output.\n`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(await runCommand(['init', folder, '--force'])).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('go/test@v1');
});

test.each([
  ['/nowhere/at/all', 'There is no directory /nowhere/at/all.'],
  [import.meta.filename, `${import.meta.filename} is no directory.`],
])('%s is refused', async (directory, message) => {
  const { code, stderr } = await runCommand(['init', directory]);
  expect([code, stderr]).toEqual([
    2,
    `tutti: ${message}\nWhat to do: name the directory that has the tests.\n`,
  ]);
});
