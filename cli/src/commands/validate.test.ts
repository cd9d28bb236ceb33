// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-validate-'));
const VALID = 'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n';

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('a valid workflow ends with 0', async () => {
  const path = file('valid.yaml', VALID);
  expect(await runCommand(['validate', path])).toEqual({
    code: 0,
    stdout: `${path} is valid.\n`,
    stderr: '',
  });
});

test('problems end with 1, in whichever of the files they are', async () => {
  const wrong = file('wrong.yaml', 'jobs: {}');
  const { code, stdout } = await runCommand(['validate', file('v.yaml', VALID), wrong]);
  expect(code).toBe(1);
  expect(stdout).toContain('2 problems in 1 of 2 files.');
});

test('warnings end with 0, and strictly with 1', async () => {
  const path = file('warned.yaml', VALID.replace('x}]', '"${{ inputs.none }}"}]'));
  const warned = await runCommand(['validate', path]);
  expect(warned).toMatchObject({ code: 0, stderr: '' });
  expect(warned.stdout).toContain(`${path} is valid, with 1 warning.`);
  const strict = await runCommand(['validate', '--strict', path]);
  expect(strict).toMatchObject({ code: 1, stderr: '' });
  expect(strict.stdout).toContain(`1 problem in ${path}.`);
});

const CALLS = `metadata: {name: x}
jobs:
  a:
    steps:
      - uses: pytset/pytest@v1
      - uses: go/test@v1
        with: {pakages: ./...}
`;

test('unknown functions and inputs are all found, with their lines, and so by plan and --dry-run', async () => {
  const path = file('calls.yaml', CALLS);
  const { code, stdout } = await runCommand(['validate', path, '--format', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).files[0].problems).toMatchObject([
    {
      message: 'There is no function "pytset/pytest@v1".',
      hint: 'did you mean "pytest/pytest@v1"?',
      line: 5,
    },
    {
      message: 'The function "go/test@v1" has no input "pakages".',
      hint: 'did you mean "packages"?',
      line: 7,
    },
  ]);
  const plan = await runCommand(['plan', path]);
  expect(plan).toMatchObject({ code: 1, stdout: '' });
  expect(plan.stderr).toContain(`2 problems in ${path}.`);
  const env = { TUTTI_DATA_DIR: join(folder, 'none') };
  const dry = await runCommand(['run', '--dry-run', path], { env });
  expect(dry).toMatchObject({ code: 2, stdout: '' });
  expect(dry.stderr).toContain('Did you mean "pytest/pytest@v1"? (line 5, column 15)\n');
  expect(dry.stderr).toContain('Did you mean "packages"? (line 7, column 16)\n');
});

test('a server that does not answer leaves unknown functions as warnings', async () => {
  const env = { TUTTI_SERVER: 'http://127.0.0.1:1' };
  const path = file('stranger.yaml', CALLS.replace(/ +- uses: go[\s\S]*/, ''));
  const { code, stdout, stderr } = await runCommand(['validate', path], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('is valid, with 1 warning.')]);
  expect(stderr).toBe(
    'tutti: The server http://127.0.0.1:1 cannot be reached. Only the built-in functions are known.\n',
  );
});

test('the schema for editors has the functions and their inputs', async () => {
  const { code, stdout } = await runCommand(['schema']);
  expect(code).toBe(0);
  const { step } = JSON.parse(stdout).definitions;
  expect(step.properties.uses.anyOf[0].enum).toContain('pytest/pytest@v1');
  const rule = step.allOf.find(
    (each: SchemaRule) => each.if?.properties?.uses?.const === 'go/test@v1',
  );
  expect(rule.then.properties.with.properties.packages).toMatchObject({ default: './...' });
});

interface SchemaRule {
  readonly if?: { readonly properties?: { readonly uses?: { readonly const: string } } };
}

test('-o is the short form of --format', async () => {
  const { code, stdout } = await runCommand(['validate', '-', '-o', 'json'], { input: 'a: [' });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).not.toBeNull();
});

test('- is standard input', async () => {
  const { code, stdout } = await runCommand(['validate', '-', '--format', 'github'], {
    input: 'a: [',
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^::error file=stdin,line=1,col=\d/);
});

test('a workflow that only others call may call files beside it', async () => {
  const path = file('called.yaml', 'metadata: {name: x}\njobs: {a: {uses: ./parts/b.yaml}}\n');
  expect((await runCommand(['validate', path])).code).toBe(1);
  expect((await runCommand(['validate', '--called', path])).code).toBe(0);
});

test.each([
  ['a file that is not there', () => join(folder, 'none.yaml'), 'there is no such file'],
  ['a directory', () => folder, 'it is a directory'],
  ['no text', () => file('binary.yaml', Buffer.from([0xc3, 0x28])), 'it is not UTF-8 text'],
])('%s ends with 2, and problems of other files are shown', async (_, path, why) => {
  const wrong = file('w.yaml', 'jobs: {}');
  const { code, stdout, stderr } = await runCommand(['validate', path(), wrong]);
  expect(code).toBe(2);
  expect(stdout).toContain(`2 problems in ${wrong}.`);
  expect(stderr).toContain(`Cannot read the workflow from ${path()}: ${why}.`);
});

test.each([
  ['UTF-16 with its mark', () => Buffer.from(`\ufeff${VALID}`, 'utf16le')],
  ['UTF-16 of the other order', () => Buffer.from(`\ufeff${VALID}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', () => Buffer.from(VALID, 'utf16le')],
])('%s is refused with its encoding and advice', async (_, content) => {
  const path = file('wide.yaml', content());
  for (const command of ['validate', 'plan']) {
    expect(await runCommand([command, path])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `tutti: Cannot read the workflow from ${path}: it is UTF-16 text.\n` +
        'What to do: save it as UTF-8; in PowerShell, "Out-File -Encoding utf8" does.\n',
    });
  }
});

test('a file called JSON that is YAML gets a warning, and is valid', async () => {
  const path = file(
    'w.json',
    '{"metadata": {"name": "x"},\n "jobs": {"a": {"steps": [{"run": "x"}]},}}',
  );
  expect(await runCommand(['validate', path])).toEqual({
    code: 0,
    stdout: `${path} is valid.\n`,
    stderr: `tutti: ${path} is no JSON (line 2, column 42), but YAML, as which it is taken. Programs that read JSON refuse it.\n`,
  });
  const sound = file(
    'sound.json',
    '{"metadata": {"name": "x"}, "jobs": {"a": {"steps": [{"run": "x"}]}}}',
  );
  expect((await runCommand(['validate', sound])).stderr).toBe('');
});

test.each(['$schema', '$shema'])(
  'what %s is for is told, since no workflow has it',
  async (key) => {
    const input = `${VALID}${key}: ./workflow.schema.json\n`;
    const { code, stdout } = await runCommand(['validate', '-', '--format', 'json'], { input });
    const hint = 'for editors, a comment names the schema: # yaml-language-server: $schema=FILE';
    expect(code).toBe(1);
    expect(JSON.parse(stdout).files[0].problems).toMatchObject([
      { message: `unknown key "${key}"`, hint },
    ]);
  },
);

test('nothing is written where no file can be read', async () => {
  const { code, stdout } = await runCommand(['validate', join(folder, 'none'), '--format', 'json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test.each([
  ['no file', ['validate']],
  ['an unknown format', ['validate', 'x', '--format', 'xml']],
])('%s is wrong use', async (_, args) => {
  expect((await runCommand(args)).code).toBe(2);
});

test('the api group of a server is an option or a variable', async () => {
  const path = file('other.yaml', `apiVersion: example.org/v1\n${VALID}`);
  expect((await runCommand(['validate', path])).code).toBe(1);
  expect((await runCommand(['validate', path, '--api-group', 'example.org'])).code).toBe(0);
  expect(
    (await runCommand(['validate', path], { env: { TUTTI_API_GROUP: 'example.org' } })).code,
  ).toBe(0);
});

test('JSON that is larger than YAML may be is checked, too', async () => {
  const steps = Array.from({ length: 600 }, () => ({ run: 'x'.repeat(1000) }));
  const manifest = { metadata: { name: 'x' }, jobs: { a: { steps, 'run-on': 'x' } } };
  const { code, stdout } = await runCommand(['validate', '-'], { input: JSON.stringify(manifest) });
  expect(code).toBe(1);
  expect(stdout).toContain(
    'error: jobs.a: unknown key "run-on"\n  in stdin\n  did you mean "runs-on"?',
  );
});

const PROVIDER = `apiVersion: tutti/v1
kind: Provider
metadata: {name: shop}
functions:
  - name: shop/smoke@v1
    description: It.
    inputs: {test: {description: The test., type: string}}
    steps:
      - command: [run, '\${{ inputs.test }}']
`;

test('a description of a provider is checked as such', async () => {
  const path = file('provider.yaml', PROVIDER);
  expect(await runCommand(['validate', path])).toMatchObject({
    code: 0,
    stdout: `${path} is valid.\n`,
  });
});

test('mistakes in a description of a provider are shown with place, hint and page', async () => {
  const path = file('wrong-provider.yaml', PROVIDER.replace('inputs.test', 'inputs.tset'));
  const { code, stdout } = await runCommand(['validate', path]);
  expect(code).toBe(1);
  expect(stdout).toContain('there is no input "tset"');
  expect(stdout).toContain('wrong-provider.yaml:9:36');
  expect(stdout).toContain('^^^^ did you mean "test"?');
  expect(stdout).toContain('see tutti docs guides/functions#expressions-of-functions');
});
