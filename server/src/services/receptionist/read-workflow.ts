/** Reads a workflow of a request, or of a file that is called, and checks it. */
import { OrchestratorError, type WorkflowManifest } from '@tutti/manifests';
import { DOCUMENT_LIMITS, hasTooManyKeys, isSmallDocument } from '@tutti/manifests/documents';
import { createWorkflowCheck } from '@tutti/workflow/validation';
import {
  contradictoryDocument,
  readDocument,
  readTypedDocument,
  type SourceDocument,
  warningTexts,
  wrongDocument,
} from '../../http/documents.ts';
import { decodeText } from '../../http/json.ts';
import { loadSchemaLibrary, type Problem } from '../../http/validate.ts';
import type { ReadWorkflow, WorkflowInput } from './workflow-source.ts';

type CheckWorkflow = ReturnType<typeof createWorkflowCheck>;

const checks = new Map<string, CheckWorkflow>();

/** The check of workflows for an API group. It is kept, because making it takes time. */
export function workflowCheck(apiGroup: string): CheckWorkflow {
  const made = checks.get(apiGroup) ?? createWorkflowCheck(loadSchemaLibrary, apiGroup);
  checks.set(apiGroup, made);
  return made;
}

export function readWorkflow(input: WorkflowInput): ReadWorkflow {
  const document = readWorkflowDocument(input);
  const { manifest, warnings } = checkManifest(document, input);
  checkSize(manifest, input.source.content.length);
  return { manifest, warnings: warningTexts(document, warnings) };
}

/** The thread that answers requests reads an accepted workflow once more. */
function checkSize(manifest: WorkflowManifest, textLength: number): void {
  const { values, keys } = DOCUMENT_LIMITS;
  // Each key appears in the text, so a short text needs no count.
  const hasFewKeys = textLength <= keys || !hasTooManyKeys(manifest);
  if (hasFewKeys && isSmallDocument(manifest, values)) return;
  const message = `A workflow may have at most ${values} values and ${keys} different keys. Divide it into several workflows.`;
  throw new OrchestratorError('Invalid', message);
}

/** The document alone. */
export function readWorkflowDocument({ source, use, apiGroup }: WorkflowInput): SourceDocument {
  const { content, contentType } = source;
  const explain = (value: unknown) => {
    const checked = workflowCheck(apiGroup)(value, use);
    return checked.ok ? [] : checked.problems;
  };
  if (contentType !== null) {
    return readTypedDocument(contentType, Buffer.from(content), 'The workflow', explain);
  }
  const text = typeof content === 'string' ? content : decodeText(content, 'The workflow');
  return readDocument(text, explain);
}

interface CheckedManifest {
  readonly manifest: WorkflowManifest;
  readonly warnings: readonly Problem[];
}

/**
 * The manifest of a document, and warnings about it. Throws `Invalid`. Its message has the first problem, with its place and
 * the number of others. `details.error` has all of them with paths, and with lines if the document has lines.
 */
export function checkManifest(
  document: SourceDocument,
  { apiGroup, use }: Pick<WorkflowInput, 'apiGroup' | 'use'>,
): CheckedManifest {
  const checked = workflowCheck(apiGroup)(document.value, use);
  if (checked.ok) return checked;
  const { problems, isMisshapen } = checked;
  const [first, ...more] = problems;
  if (isMisshapen || first === undefined) {
    throw wrongDocument('Workflow manifest', document, problems);
  }
  throw contradictoryDocument(document, [first, ...more]);
}
