/**
 * Stores files that channel handlers and publishers in other processes leave below `/tmp`. Their events contain the paths. If the
 * operator names the matching local directory, the files become attachments.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Logger } from '../../runtime/logger.ts';

export interface PluginFilesDeps {
  readonly blobs: Pick<BlobStore, 'put' | 'info'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Null if plugins share no disk with this server. */
  readonly directory: string | null;
  readonly fileBytesMax: number;
}

/** Stores the files of a plugin, and resolves when they are durable. Unreadable files are logged, and missing later. */
export async function keepPluginFiles(deps: PluginFilesDeps, event: RunEvent): Promise<void> {
  const { directory, logger } = deps;
  if (directory === null || !hasFiles(event)) return;
  const { workflow_id: workflowId, attachments = {} } = event.metadata;
  for (const [path, { uuid }] of Object.entries(attachments)) {
    const name = fileName(path, uuid);
    if (name === null) continue;
    try {
      await keep(deps, `${workflowId}/${uuid}`, join(directory, name));
    } catch (error) {
      logger.warn({ err: error, workflowId, path }, 'A file of a plugin could not be kept.');
    }
  }
}

type FileEvent = Extract<RunEvent, { readonly kind: 'ExecutionResult' | 'WorkflowResult' }>;

const hasFiles = (event: RunEvent): event is FileEvent =>
  event.kind === 'ExecutionResult' || event.kind === 'WorkflowResult';

/** Only files with the attachment's id in their name: an event must not name others. */
function fileName(path: string, uuid: string): string | null {
  const [, name] = /^\/tmp\/([^/\0]+)$/.exec(path) ?? [];
  return name?.toLowerCase().includes(`${uuid.toLowerCase()}_`) === true ? name : null;
}

// A link could lead anywhere, and reading a device or pipe could block.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function keep(
  { blobs, fileBytesMax }: PluginFilesDeps,
  key: string,
  path: string,
): Promise<void> {
  // An id belongs to its first user.
  if ((await blobs.info(key)) !== null) return;
  const file = await open(path, FLAGS);
  try {
    await putFile(file, (content) => blobs.put(key, content, { sizeMax: fileBytesMax }));
  } finally {
    await file.close();
  }
}

async function putFile(
  file: FileHandle,
  put: (content: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<void> {
  if (!(await file.stat()).isFile()) throw new Error('It is no file.');
  await put(file.createReadStream({ autoClose: false }));
}
