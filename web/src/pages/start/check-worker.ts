/** Checks workflows beside the page, so that typing never waits: the check of the command line and of the server. */
import { type InputDeclarations, isOrchestratorError, problemsOfGiven } from '@tutti/manifests';
import { portableYaml, type SchemaLibrary } from '@tutti/manifests/documents';
import { planWorkflow } from '@tutti/workflow/plan';
import { runnableManifest } from '@tutti/workflow/runnable-manifest';
import { createWorkflowReporter } from '@tutti/workflow/validation';
import * as yaml from 'yaml';
import type { Checked, Question, Written } from './check-protocol.ts';

const TOO_LARGE =
  'This workflow is too large to be checked here. A dry run lets the server check it.';

/** The build has made code of the schema of workflows. Only for large documents the check would compile another one. */
const schemas = {
  Ajv2019: class {
    compile(): never {
      throw new Error(TOO_LARGE);
    }
  },
} as unknown as SchemaLibrary;

const reportOn = createWorkflowReporter({ yaml, schemas });

const NOTHING = {
  diagnostics: [],
  moreCount: 0,
  isValid: false,
  inputs: null,
  inputProblems: {},
  plan: null,
  files: [],
  failure: null,
} as const;

type Check = Extract<Question, { kind: 'check' }>;

function check(question: Check): Checked {
  try {
    return checked(question);
  } catch (error) {
    return { ...NOTHING, failure: error instanceof Error ? error.message : String(error) };
  }
}

function checked({ text, inputs, namespace }: Check): Checked {
  const { diagnostics, moreCount, isValid, manifest } = reportOn(text);
  const report = { ...NOTHING, diagnostics, moreCount, isValid };
  if (manifest === null) return report;
  const declared = manifest.inputs ?? {};
  return {
    ...report,
    inputs: declared,
    inputProblems: { ...missingIn(declared, inputs), ...wrongIn(declared, inputs) },
    ...planOf({ manifest, inputs, namespace }),
    files: runnableManifest({ ...manifest }).files,
  };
}

const wrongIn = (declared: InputDeclarations, inputs: Check['inputs']) =>
  Object.fromEntries(
    problemsOfGiven(declared, inputs).flatMap(({ path: [name], message }) =>
      name === undefined ? [] : [[name, message] as const],
    ),
  );

/** A missing input has no place in what was given, but a field of its own. */
const missingIn = (declared: InputDeclarations, inputs: Check['inputs']) =>
  Object.fromEntries(
    Object.entries(declared)
      .filter(([name, { required = false }]) => required && inputs[name] === undefined)
      .map(([name]) => [name, 'A run needs a value here.'] as const),
  );

interface Planned extends Omit<Check, 'kind' | 'text'> {
  readonly manifest: NonNullable<ReturnType<typeof reportOn>['manifest']>;
}

/** Inputs that do not fit have a message of their own. */
function planOf({ manifest, inputs, namespace }: Planned): Pick<Checked, 'plan'> {
  try {
    return { plan: planWorkflow(manifest, { inputs, namespace }) };
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { plan: null };
  }
}

function write(received: Readonly<Record<string, unknown>>): Written {
  const { manifest, files } = runnableManifest(received);
  return { text: portableYaml(yaml, manifest), files };
}

addEventListener('message', ({ data }: MessageEvent<Question & { readonly number: number }>) => {
  const answer = data.kind === 'check' ? check(data) : write(data.manifest);
  postMessage({ number: data.number, answer });
});
