/** The manifest of a request, checked (wire facts 1.12). */
import type { WorkflowManifest } from '@tutti/manifests';
import {
  createWorkflowCheck,
  type WorkflowCheck,
  type WorkflowUse,
} from '@tutti/workflow/validation';
import { contradictoryDocument, type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { loadSchemaLibrary } from '../../http/validate.ts';

export type CheckManifest = (document: SourceDocument, use?: WorkflowUse) => WorkflowManifest;

export function createManifestCheck(apiGroup: string): CheckManifest {
  const check = createWorkflowCheck(loadSchemaLibrary, apiGroup);
  return (document, use) => checkedManifest(document, check(document.value, use));
}

/**
 * The manifest of a document. Throws `Invalid`: the message is the first problem, with its place and the number of
 * the others; `details.error` has all of them with their paths, and with their lines where the document has lines.
 */
function checkedManifest(document: SourceDocument, checked: WorkflowCheck): WorkflowManifest {
  if (checked.ok) return checked.manifest;
  const { problems, isMisshapen } = checked;
  const [first, ...more] = problems;
  if (isMisshapen || first === undefined) {
    throw wrongDocument('Workflow manifest', document, problems);
  }
  throw contradictoryDocument(document, [first, ...more]);
}
