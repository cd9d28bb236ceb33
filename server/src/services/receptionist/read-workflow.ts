/** Reads a workflow of a request, or of a file that is called, and checks it. */
import { OrchestratorError, type WorkflowManifest } from '@tutti/manifests';
import { DOCUMENT_LIMITS, isSmallDocument } from '@tutti/manifests/documents';
import { readDocument, readTypedDocument, type SourceDocument } from '../../http/documents.ts';
import { decodeText } from '../../http/json.ts';
import { type CheckManifest, createManifestCheck } from './manifest-checks.ts';
import type { WorkflowInput } from './workflow-tasks.ts';

const checks = new Map<string, CheckManifest>();

/** One for each group of versions, of which a server has one: to make it takes time. */
export function manifestCheck(apiGroup: string): CheckManifest {
  const made = checks.get(apiGroup) ?? createManifestCheck(apiGroup);
  checks.set(apiGroup, made);
  return made;
}

export function readWorkflow(input: WorkflowInput): WorkflowManifest {
  const manifest = manifestCheck(input.apiGroup)(readWorkflowDocument(input), input.use);
  checkValues(manifest);
  return manifest;
}

/** What is accepted is read once more by the thread that answers requests. */
function checkValues(manifest: WorkflowManifest): void {
  if (isSmallDocument(manifest, DOCUMENT_LIMITS.values)) return;
  const message = `A workflow may have at most ${DOCUMENT_LIMITS.values} values. Divide it into several workflows.`;
  throw new OrchestratorError('Invalid', message);
}

/** The document alone. */
export function readWorkflowDocument({ source, use, apiGroup }: WorkflowInput): SourceDocument {
  const { content, contentType } = source;
  const check = manifestCheck(apiGroup);
  const explain = (value: unknown) => check.explain(value, use);
  if (contentType !== null) {
    return readTypedDocument(contentType, Buffer.from(content), 'The workflow', explain);
  }
  const text = typeof content === 'string' ? content : decodeText(content, 'The workflow');
  return readDocument(text, explain);
}
