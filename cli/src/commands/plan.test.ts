// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const WORKFLOW = `metadata: {name: demo}
inputs: {site: {description: d, type: choice, options: [lyon, paris], required: true}}
jobs: {a: {runs-on: "\${{ inputs.site }}", steps: [{run: npm test}]}}
`;
const plan = (...args: string[]) => runCommand(['plan', '-', ...args], { input: WORKFLOW });

test('a plan is shown as a tree', async () => {
  expect(await plan('-i', 'site=lyon', '--steps', '--namespace', 'team')).toEqual({
    code: 0,
    stdout: 'demo in namespace team\n└─ a  on lyon\n     run  npm test\n',
    stderr: '',
  });
});

test('a plan is shown in other forms', async () => {
  expect((await plan('--format', 'mermaid')).stdout).toMatch(/^flowchart LR\n/);
  const { stdout } = await plan('--format', 'json', '-e', 'A=b');
  expect(JSON.parse(stdout)).toMatchObject({ name: 'demo', openInputs: ['site'] });
});

test('-o is the short form of --format', async () => {
  expect((await plan('-o', 'mermaid')).stdout).toMatch(/^flowchart LR\n/);
  const { code, stderr } = await plan('-o', 'yaml');
  expect([code, stderr]).toEqual([
    2,
    'tutti: -o takes tree, mermaid, json, not "yaml".\nWhat to do: see "tutti plan --help".\n',
  ]);
});

test('a workflow with problems has no plan', async () => {
  const { code, stdout, stderr } = await runCommand(['plan', '-'], { input: 'jobs: {}' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('2 problems in stdin.');
});

test('warnings stand beside the plan, and strictly in its place', async () => {
  const input = 'metadata: {name: demo}\njobs: {a: {steps: [{run: "${{ inputs.none }}"}]}}\n';
  const { code, stdout, stderr } = await runCommand(['plan', '-'], { input });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'demo in namespace default\n└─ a  on any environment  1 step\n',
  });
  expect(stderr).toContain('stdin is valid, with 1 warning.');
  const strict = await runCommand(['plan', '-', '--strict'], { input });
  expect(strict).toMatchObject({ code: 1, stdout: '' });
  expect(strict.stderr).toContain('1 problem in stdin.');
});

test('a plan of a run that ends with an error is shown, and is no success', async () => {
  const input = `metadata: {name: demo}
jobs: {a: {strategy: {matrix: {os: "\${{ fromJSON('[]') }}"}}, steps: [{run: x}]}}
`;
  expect(await runCommand(['plan', '-'], { input })).toEqual({
    code: 1,
    stdout: 'demo in namespace default\n└─ a  matrix  error: jobs.a: The matrix has no jobs.\n',
    stderr: '',
  });
});

test('inputs that do not fit are refused', async () => {
  const { code, stderr } = await plan('-i', 'site=rome');
  expect(code).toBe(2);
  expect(stderr).toContain('Input "site": Invalid value "rome".  Allowed values: "lyon", "paris".');
});

test('names that are none of variables are refused as by a server', async () => {
  expect(await plan('-i', 'site=lyon', '-e', 'A-B=x')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: Not valid variables: "A-B" is no name of a variable (letters, digits and underscores).\n' +
      'What to do: correct what is named above, then try again.\n',
  });
});
