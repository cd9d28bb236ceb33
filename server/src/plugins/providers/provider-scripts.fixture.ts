/** Runs the steps of a provider function, as an environment would. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { ChannelOs, InputValues, WorkflowStep } from '@tutti/manifests';
import { findFunction, type Provider, parseFunctionName } from '@tutti/sdk';
import { builtInManifest } from './built-in-manifests.ts';

export interface ScriptRun {
  readonly exitCode: number;
  readonly output: string;
}

export async function callProvider(
  provider: Provider,
  uses: string,
  inputs: InputValues,
  os: ChannelOs = 'linux',
): Promise<readonly WorkflowStep[]> {
  const name = parseFunctionName(uses);
  const called = name === null ? null : findFunction(provider.functions, name);
  if (called === null) throw new Error(`There is no function ${uses}.`);
  return await called.call(inputs, { os });
}

/** Calls a function that a file of ours describes. */
export async function callBuiltIn(
  uses: string,
  inputs: InputValues,
  os: ChannelOs = 'linux',
): Promise<readonly WorkflowStep[]> {
  const found = await builtInManifest(parseFunctionName(uses)?.prefix ?? '');
  if (found === null) throw new Error(`There is no description for ${uses}.`);
  return await callProvider(found.provider, uses, inputs, os);
}

/** Runs the scripts of steps in bash, up to the first that fails. */
export async function runSteps(steps: readonly WorkflowStep[], cwd: string): Promise<ScriptRun> {
  let output = '';
  for (const step of steps) {
    const run = await runBash(step, cwd);
    output += run.output;
    if (run.exitCode !== 0) return { exitCode: run.exitCode, output };
  }
  return { exitCode: 0, output };
}

/** The steps, with these variables as well. */
export const withVariables = (
  steps: readonly WorkflowStep[],
  variables: Readonly<Record<string, string>>,
): readonly WorkflowStep[] =>
  steps.map((step) => ({ ...step, variables: { ...step.variables, ...variables } }));

function runBash(step: WorkflowStep, cwd: string): Promise<ScriptRun> {
  const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''];
  const env = { ...process.env, ...ownNode(), ...textVariables(step) };
  return new Promise((resolve, reject) => {
    execFile('bash', options, { cwd, env }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, output: stdout + stderr });
      else reject(error);
    });
  });
}

/** The node that runs these tests comes first, whatever else is installed. */
function ownNode(): Readonly<Record<string, string>> {
  return { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` };
}

function textVariables({ variables = {} }: WorkflowStep): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : value.value,
    ]),
  );
}

/** Has a blank in its name, as directories of users do. */
export async function inTemporaryDirectory(
  use: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'provider '));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
