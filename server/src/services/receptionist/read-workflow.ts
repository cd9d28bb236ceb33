/** Reads a workflow of a request, or of a file that is called, and checks it. */
import { OrchestratorError, type WorkflowManifest } from '@tutti/manifests';
import { DOCUMENT_LIMITS, hasTooManyKeys, isSmallDocument } from '@tutti/manifests/documents';
import {
  readDocument,
  readTypedDocument,
  type SourceDocument,
  warningTexts,
} from '../../http/documents.ts';
import { decodeText } from '../../http/json.ts';
import { type CheckManifest, createManifestCheck } from './manifest-checks.ts';
import type { ReadWorkflow, WorkflowInput } from './workflow-source.ts';

const checks = new Map<string, CheckManifest>();

/** One per group of versions, of which a server has one: making it takes time. */
export function manifestCheck(apiGroup: string): CheckManifest {
  const made = checks.get(apiGroup) ?? createManifestCheck(apiGroup);
  checks.set(apiGroup, made);
  return made;
}

export function readWorkflow(input: WorkflowInput): ReadWorkflow {
  const document = readWorkflowDocument(input);
  const { manifest, warnings } = manifestCheck(input.apiGroup)(document, input.use);
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
  const check = manifestCheck(apiGroup);
  const explain = (value: unknown) => check.explain(value, use);
  if (contentType !== null) {
    return readTypedDocument(contentType, Buffer.from(content), 'The workflow', explain);
  }
  const text = typeof content === 'string' ? content : decodeText(content, 'The workflow');
  return readDocument(text, explain);
}
