/** Parses JSON that only passes through, in a thread if it is large (`document-tasks.ts`). */

import { messages, OrchestratorError } from '@tutti/manifests';
import { DOCUMENT_LIMITS, hasTooManyKeys } from '@tutti/manifests/documents';
import {
  DOCUMENT_TASK_LIMITS,
  type DocumentAsker,
  type DocumentTask,
  type DocumentTasks,
} from './document-tasks.ts';
import { parseJson } from './json.ts';

export const PARSE_JSON: DocumentTask<Uint8Array, unknown> = {
  name: 'parse-json',
  load: async () => parsePassing,
};

/** Parses JSON that is passed on. Throws `BadRequest`. */
export function parsePassing(content: Uint8Array): unknown {
  const value = parseJson(content);
  if (!hasTooManyKeys(value)) return value;
  const why = `it has more than ${DOCUMENT_LIMITS.keys} different keys.`;
  throw new OrchestratorError('BadRequest', messages.bodyNotTaken(why));
}

/** Parses a large JSON text in a thread. Throws `BadRequest`, as `parseJson` does. */
export async function parseLargeJson(
  documents: Pick<DocumentTasks, 'run'>,
  content: Uint8Array,
  asker: Omit<DocumentAsker, 'bytes'>,
): Promise<unknown> {
  const bytes = content.length;
  if (bytes <= DOCUMENT_TASK_LIMITS.jsonBytesHere) return parseJson(content);
  return await documents.run(PARSE_JSON, content, { ...asker, bytes });
}
