/** All that can be wrong with a workflow manifest before it runs (wire facts 1.12). */
import {
  problemsOfHooks,
  problemsOfInputs,
  problemsOfJobs,
  type WorkflowManifest,
  workflowManifestSchema,
} from '@tutti/manifests';
import { locatedProblem, type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { createValidator, invalidDocument, type Problem } from '../../http/validate.ts';
import { expressionProblems } from './expression-checks.ts';

const validator = createValidator(workflowManifestSchema);

/**
 * The manifest of a document. Throws `Invalid`: the message is the first problem, `details.error` has all of them with their
 * paths, and with their lines where the document has lines.
 */
export function checkManifest(document: SourceDocument): WorkflowManifest {
  const ofShape = validator.problems(document.value);
  if (ofShape.length > 0) throw wrongDocument('Workflow manifest', document, ofShape);
  // The schema was checked above.
  const manifest = document.value as WorkflowManifest;
  const problems = contentProblems(manifest);
  const [first] = problems;
  if (first !== undefined) {
    throw invalidDocument(
      first.message,
      problems.map((problem) => locatedProblem(document, problem)),
    );
  }
  return manifest;
}

function contentProblems(manifest: WorkflowManifest): readonly Problem[] {
  return [
    ...inputProblems(manifest),
    ...problemsOfJobs(manifest.jobs),
    ...hookProblems(manifest),
    ...metadataProblems(manifest.metadata),
    ...fileNameProblems(manifest.resources?.files ?? []),
    ...expressionProblems(manifest),
  ];
}

function inputProblems({ inputs }: WorkflowManifest): readonly Problem[] {
  return problemsOfInputs(inputs ?? {}).map((message) => ({ path: ['inputs'], message }));
}

function hookProblems({ hooks }: WorkflowManifest): readonly Problem[] {
  return problemsOfHooks(hooks ?? []).map(({ path, message }) => ({
    path: ['hooks', ...path],
    message,
  }));
}

/** Parts of a request that have a meaning of their own, so that no file can be in them (specification 4.6). */
const TAKEN_PARTS: ReadonlySet<string> = new Set(['workflow', 'variables', 'inputs']);

function fileNameProblems(files: readonly string[]): readonly Problem[] {
  return files.flatMap((name, index) => {
    if (!TAKEN_PARTS.has(name)) return [];
    const why = 'this part of the request has a meaning of its own';
    const message = `The resource file "${name}" cannot be attached: ${why}.`;
    return [{ path: ['resources', 'files', index], message }];
  });
}

/** Extra entries of the metadata are the author's, except for those that the run itself writes into. */
function metadataProblems(metadata: WorkflowManifest['metadata']): readonly Problem[] {
  const annotations: unknown = metadata.annotations;
  const isObject =
    typeof annotations === 'object' && annotations !== null && !Array.isArray(annotations);
  return annotations === undefined || isObject
    ? []
    : [{ path: ['metadata', 'annotations'], message: 'metadata.annotations must be an object.' }];
}
