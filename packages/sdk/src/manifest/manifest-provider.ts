/** A provider out of its description. */
import {
  OrchestratorError,
  type ProviderFunctionManifest,
  type ProviderManifest,
} from '@tutti/manifests';
import { type FunctionName, parseFunctionName } from '../function-name.ts';
import {
  defineProvider,
  type FunctionDefinition,
  type Provider,
  type Runner,
} from '../provider.ts';
import { scopeOfCall } from './call-values.ts';
import { paramsFunction } from './params-function.ts';
import { renderSteps, stepsFor } from './render-steps.ts';

/** Makes a provider of a description in which `createProviderCheck` finds no mistake. Throws `Invalid` for others, now or at a call. */
export function providerOfManifest(manifest: ProviderManifest): Provider {
  const described = manifest.functions.flatMap((each) =>
    namesOf(each).map((name) => describedFunction(each, functionName(name))),
  );
  const { params } = manifest;
  const provider = defineProvider({ name: manifest.metadata.name, functions: described });
  if (params === undefined) return provider;
  const passing = defineProvider({
    name: provider.name,
    functions: [paramsFunction(functionName(params))],
  });
  return { ...provider, functions: [...provider.functions, ...passing.functions] };
}

/** The names that a function answers to. */
export const namesOf = ({ name, aliases = [] }: ProviderFunctionManifest): readonly string[] => [
  name,
  ...aliases,
];

function functionName(name: string): FunctionName {
  const parsed = parseFunctionName(name);
  if (parsed !== null) return parsed;
  throw new OrchestratorError('Invalid', `"${name}" is no name of a function.`);
}

function describedFunction(
  described: ProviderFunctionManifest,
  { prefix, category, version }: FunctionName,
): FunctionDefinition<NonNullable<ProviderFunctionManifest['inputs']>> {
  const {
    description,
    inputs = {},
    values = {},
    steps,
    attach = [],
    outputs = {},
    select,
  } = described;
  return {
    prefix,
    category,
    version,
    description,
    inputs,
    unit: select?.unit ?? null,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, output]) => [
        name,
        typeof output === 'string' ? output : output.value,
      ]),
    ),
    steps(given, runner: Runner) {
      const written = stepsFor(runner.os, steps);
      if (written === null) {
        throw new OrchestratorError(
          'Invalid',
          `The function "${described.name}" has no steps for ${runner.os}.`,
        );
      }
      return renderSteps(runner.os, written, attach, scopeOfCall(values, given, runner));
    },
  };
}
