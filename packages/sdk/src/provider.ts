/**
 * Writing a provider: functions that turn one step of a workflow into simpler ones.
 *
 * ```ts
 * export const greetings = defineProvider({
 *   name: 'greetings',
 *   functions: [
 *     {
 *       prefix: 'greetings',
 *       category: 'hello',
 *       version: 'v1',
 *       inputs: { who: { description: 'Whom to greet.', type: 'string', required: true } },
 *       steps: ({ who }, { os }) => [{ run: commandLine(os, ['echo', `Hello ${who}`]) }],
 *     },
 *   ],
 * });
 * ```
 */
import {
  type ChannelOs,
  evaluateInputs,
  type InputDeclaration,
  type InputDeclarations,
  type InputType,
  type InputValues,
  OrchestratorError,
  problemsOfInputs,
  type RepositoryResource,
  type TestUnit,
  type WorkflowStep,
} from '@tutti/manifests';
import { formatFunctionName } from './function-name.ts';

/** The environment of the steps. */
export interface Runner {
  readonly os: ChannelOs;
  /** Repositories of the workflow, with the credentials for them. */
  readonly repositories?: readonly RepositoryResource[];
  /** The tests to run, as the unit of the function writes them; absent or empty for all. */
  readonly selection?: readonly string[];
}

type ValueOf<Type extends InputType | undefined> = Type extends 'number'
  ? number
  : Type extends 'boolean'
    ? boolean
    : Type extends 'string' | 'choice'
      ? string
      : unknown;

/** The values of declared inputs, each of the type it is declared with. Without a type it is as the step gives it. */
export type ValuesOf<Declared extends InputDeclarations> = {
  readonly [Name in keyof Declared]: ValueOf<TypeOf<Declared[Name]>>;
};
type TypeOf<Declaration extends InputDeclaration> = Declaration extends {
  readonly type: infer Type extends InputType;
}
  ? Type
  : undefined;

/** One function, as a step names it: `uses: {prefix}/{category}@{version}`. */
export interface FunctionDefinition<Declared extends InputDeclarations> {
  /** Null answers whatever prefix a step names. */
  readonly prefix: string | null;
  readonly category: string;
  /** `v1` also answers `v1.2` where nothing closer is there; null answers every version. */
  readonly version: string | null;
  readonly description?: string;
  readonly inputs: Declared;
  /** Outputs of the calling step by name: expressions that read `steps.<id>` of the steps below. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** The form in which it takes the names of tests; null if it selects none. */
  readonly unit?: TestUnit | null;
  /**
   * The steps that take the place of the one that calls the function. Called with inputs that fit their declarations; an
   * OrchestratorError that it throws is shown to the user. May be called again for the same step after a crash, so it has no
   * effects of its own.
   */
  steps(
    inputs: ValuesOf<Declared>,
    runner: Runner,
  ): readonly WorkflowStep[] | Promise<readonly WorkflowStep[]>;
}

/** A function of a provider, as a host calls it. */
export interface ProviderFunction {
  readonly prefix: string | null;
  readonly category: string;
  readonly version: string | null;
  readonly description: string;
  readonly inputs: InputDeclarations;
  readonly outputs: Readonly<Record<string, string>>;
  readonly unit: TestUnit | null;
  /** Checks the inputs of the step and answers the steps; rejects with `Invalid` when the inputs do not fit. */
  call(given: InputValues, runner: Runner): Promise<readonly WorkflowStep[]>;
}

export interface Provider {
  /** Shown in listings and logs. */
  readonly name: string;
  readonly functions: readonly ProviderFunction[];
}

/** Defines a provider. Throws `Invalid` if two functions have one name, or if the declaration of an input contradicts itself. */
export function defineProvider<const Inputs extends readonly InputDeclarations[]>(definition: {
  readonly name: string;
  readonly functions: { readonly [Index in keyof Inputs]: FunctionDefinition<Inputs[Index]> };
}): Provider {
  const functions = definition.functions.map(providerFunction);
  refuseRepeated(definition.name, functions);
  return { name: definition.name, functions };
}

function providerFunction<Declared extends InputDeclarations>(
  definition: FunctionDefinition<Declared>,
): ProviderFunction {
  const {
    prefix,
    category,
    version,
    description = '',
    inputs,
    outputs = {},
    unit = null,
  } = definition;
  const problems = problemsOfInputs(inputs);
  if (problems.length > 0) {
    throw new OrchestratorError(
      'Invalid',
      `Function ${formatFunctionName(definition)}: ${problems.map(({ message }) => message).join(' ')}`,
    );
  }
  return {
    prefix,
    category,
    version,
    description,
    inputs,
    outputs,
    unit,
    async call(given, runner) {
      // Evaluation gives every declared input a value of the type it is declared with.
      const values = evaluateInputs(inputs, given) as ValuesOf<Declared>;
      return await definition.steps(values, runner);
    },
  };
}

function refuseRepeated(provider: string, functions: readonly ProviderFunction[]): void {
  const names = functions.map(formatFunctionName);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new OrchestratorError('Invalid', `Provider ${provider} defines ${repeated} twice.`);
}
