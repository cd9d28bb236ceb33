/** `{technology}/params`: parameters of a test management for the test that the next step executes (wire facts 10.6). */
import {
  type ChannelOs,
  type InputDeclarations,
  isOrchestratorError,
  OrchestratorError,
  type WorkflowStep,
} from '@tutti/manifests';
import { createFile } from '../create-file.ts';
import type { FunctionName } from '../function-name.ts';
import type { FunctionDefinition } from '../provider.ts';
import { escapeEcho, quoteSh } from '../quoting.ts';
import { renderIni } from '../render-ini.ts';
import { scriptStep } from '../script-step.ts';
import { setVariable } from '../set-variable.ts';

const FORMAT = 'tm.squashtest.org/params@v1';
/** The variable with the path of the file, as libraries of test technologies read it. */
export const PARAMETER_FILE_VARIABLE = '_SQUASH_TF_TESTCASE_PARAM_FILES';
const SECTIONS = ['global', 'test'] as const;
/** Parameters of one test. Test managements have dozens. */
const PARAMETERS_MAX = 1024;

const inputs = {
  data: {
    description: 'The parameters: maps `global` and `test` of names and values.',
    required: true,
  },
  format: {
    description: 'The format of the data.',
    type: 'choice',
    options: [FORMAT],
    required: true,
  },
} as const satisfies InputDeclarations;

interface Given {
  readonly data: unknown;
  readonly format: string;
}

export function paramsFunction(name: FunctionName): FunctionDefinition<typeof inputs> {
  return {
    ...name,
    description: 'Passes the parameters of a test on to the steps after it.',
    inputs,
    steps: ({ data }: Given, { os }: { readonly os: ChannelOs }) => [
      paramsStep(os, `${name.prefix ?? name.category}-params.ini`, sectionsOf(data)),
    ],
  };
}

type Parameters = Readonly<Record<string, string>>;
type Sections = Readonly<Record<(typeof SECTIONS)[number], Parameters>>;

function sectionsOf(data: unknown): Sections {
  if (!isMap(data)) throw invalid('must have maps "global" and "test"');
  const unknown = Object.keys(data).find((key) => !SECTIONS.some((section) => section === key));
  if (unknown !== undefined) throw invalid(`has "global" and "test" alone, not "${unknown}"`);
  return { global: parametersOf(data.global, 'global'), test: parametersOf(data.test, 'test') };
}

function parametersOf(given: unknown, section: string): Parameters {
  const map = given ?? {};
  if (!isMap(map)) throw invalid(`must have a map "${section}"`);
  const entries = Object.entries(map);
  if (entries.length > PARAMETERS_MAX) {
    throw invalid(`has more than ${PARAMETERS_MAX} parameters in "${section}"`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, textOf(name, value)]));
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') throw invalid(`has no text for "${name}"`);
  return String(value);
}

/** A parameter of the test wins over a global one of its name. */
function paramsStep(os: ChannelOs, file: string, sections: Sections): WorkflowStep {
  const parameters = Object.entries({ ...sections.global, ...sections.test });
  return scriptStep(
    os,
    [
      ...createFile(
        os,
        file,
        renderIni({ global: onLines(sections.global), test: onLines(sections.test) }),
      ),
      setFileVariable(os, file),
      ...parameters.map(([name, value]) => variableLine(os, name, value)),
    ],
    { name: 'Pass parameters on' },
  );
}

/** A value of several lines has blanks between them: not all readers of such files know more. */
const onLines = (parameters: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, value.replace(/\r\n|\r|\n/g, ' ')]),
  );

function setFileVariable(os: ChannelOs, file: string): string {
  return os === 'windows'
    ? `@>> "%OPENTF_VARIABLES%" echo set "${PARAMETER_FILE_VARIABLE}=%CD%\\${escapeEcho(file)}"`
    : `printf 'export ${PARAMETER_FILE_VARIABLE}=%q\\n' "$PWD"/${quoteSh(file)} >> "$OPENTF_VARIABLES"`;
}

/** Sets the variable of a parameter. A value that no variable can hold is in the file alone, with a warning in the log. */
function variableLine(os: ChannelOs, name: string, value: string): string {
  try {
    return setVariable(os, name, { value, verbatim: true });
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    const shown = JSON.stringify(name);
    const warning = `::warning::The parameter ${shown} cannot be a variable here, it is in the file alone.`;
    return os === 'windows' ? `@echo ${escapeEcho(warning)}` : `echo ${quoteSh(warning)}`;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const invalid = (why: string): OrchestratorError =>
  new OrchestratorError('Invalid', `Input "data" ${why}.`);
