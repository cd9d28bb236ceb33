/** The manifest of a request, checked (wire facts 1.12). */
import type { WorkflowManifest } from '@tutti/manifests';
import {
  createWorkflowCheck,
  type WorkflowCheck,
  type WorkflowUse,
} from '@tutti/workflow/validation';
import { contradictoryDocument, type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { loadSchemaLibrary, type Problem } from '../../http/validate.ts';

export interface CheckedManifest {
  readonly manifest: WorkflowManifest;
  readonly warnings: readonly Problem[];
}

export interface CheckManifest {
  /**
   * The manifest of a document, and warnings about it. Throws `Invalid`. Its message has the first problem, with its place and
   * the number of others. `details.error` has all of them with paths, and with lines if the document has lines.
   */
  (document: SourceDocument, use?: WorkflowUse): CheckedManifest;
  /** For documents that are refused before they are checked. */
  explain(value: unknown, use?: WorkflowUse): readonly Problem[];
}

export function createManifestCheck(apiGroup: string): CheckManifest {
  const check = createWorkflowCheck(loadSchemaLibrary, apiGroup);
  const explain = (value: unknown, use?: WorkflowUse) => {
    const checked = check(value, use);
    return checked.ok ? [] : checked.problems;
  };
  return Object.assign(
    (document: SourceDocument, use?: WorkflowUse) =>
      checkedManifest(document, check(document.value, use)),
    { explain },
  );
}

function checkedManifest(document: SourceDocument, checked: WorkflowCheck): CheckedManifest {
  if (checked.ok) return checked;
  const { problems, isMisshapen } = checked;
  const [first, ...more] = problems;
  if (isMisshapen || first === undefined) {
    throw wrongDocument('Workflow manifest', document, problems);
  }
  throw contradictoryDocument(document, [first, ...more]);
}
