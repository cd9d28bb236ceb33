/** The manifest of a request, checked (wire facts 1.12). */
import type { WorkflowManifest } from '@tutti/manifests';
import { createWorkflowCheck } from '@tutti/workflow/validation';
import { locatedProblem, type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { invalidDocument, loadSchemaLibrary } from '../../http/validate.ts';

const check = createWorkflowCheck(loadSchemaLibrary);

/**
 * The manifest of a document. Throws `Invalid`: the message is the first problem, `details.error` has all of them with their
 * paths, and with their lines where the document has lines.
 */
export function checkManifest(document: SourceDocument): WorkflowManifest {
  const checked = check(document.value);
  if (checked.ok) return checked.manifest;
  const { problems, isMisshapen } = checked;
  const [first] = problems;
  if (isMisshapen || first === undefined) {
    throw wrongDocument('Workflow manifest', document, problems);
  }
  throw invalidDocument(
    first.message,
    problems.map((problem) => locatedProblem(document, problem)),
  );
}
