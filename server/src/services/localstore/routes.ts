/** `GET` and `HEAD /workflows/{workflow_id}/files/{attachment_id}` (specification 4.8). */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type AttachmentId,
  isUuid,
  OrchestratorError,
  parseAttachmentId,
  REASON_CODES,
  type WorkflowId,
} from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { type ByteRange, contentRange, requestedRange } from '../../http/range.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { AttachmentRow, Store } from '../../store/store.ts';
import { contentDisposition } from './content-disposition.ts';
import { BEGINNING_BYTES, contentType, isText, textType } from './content-type.ts';
import { viewHeaders } from './view-headers.ts';

export interface LocalstoreDeps {
  readonly store: Pick<Store, 'workflow' | 'attachment'>;
  readonly blobs: Pick<BlobStore, 'info' | 'get'>;
}

interface AttachmentRoute extends RunPath {
  Params: RunPath['Params'] & { attachment_id: string };
}

const GET: RunRight = { resource: 'workflows', verb: 'get' };
const PATH = '/workflows/:workflow_id/files/:attachment_id';

const operation: DescribedOperation = ({ BYTES, RANGE, rangeAnswers }) => ({
  id: 'getAttachment',
  idOf: { HEAD: 'getAttachmentHeaders' },
  description: 'The content type is that of the attachment.',
  headers: RANGE,
  answers: rangeAnswers({ '*/*': { schema: BYTES } }),
});

export function localstoreRoutes(deps: LocalstoreDeps): Routes {
  return (app) => {
    // Replaces the HEAD that comes with GET: that one would read the whole file and drop it.
    const config = { access: GET, anywhere: true };
    app.head<AttachmentRoute>(PATH, { config }, async (request, reply) => {
      const file = await findFile(deps, request);
      return reply.headers(fileHeaders(file)).header('Content-Length', file.size).send();
    });
    app.get<AttachmentRoute>(
      PATH,
      {
        config,
        schema: { summary: 'Content of an attachment', tags: ['localstore'], operation },
      },
      (request, reply) => sendFile(deps, request, reply, fileHeaders),
    );
    app.get<AttachmentRoute>(
      `${PATH}/view`,
      {
        config,
        schema: {
          summary: 'An attachment for a frame of a page',
          tags: ['localstore'],
          operation: viewOperation,
        },
      },
      (request, reply) => sendFile(deps, request, reply, ({ type }) => viewHeaders(request, type)),
    );
  };
}

const viewOperation: DescribedOperation = ({ BYTES, RANGE, rangeAnswers }) => ({
  id: 'viewAttachment',
  description:
    'Pictures, videos, texts and pages, for a frame or an element of a page of this server. A page of a test has an origin of its own, its scripts reach no host.',
  headers: RANGE,
  answers: rangeAnswers({ '*/*': { schema: BYTES } }),
  failures: ['UnsupportedMediaType'],
});

interface AttachmentFile {
  readonly key: string;
  readonly row: AttachmentRow;
  readonly size: number;
  /** Content type, with the charset of a text. */
  readonly type: string;
}

type HeadersOf = (file: AttachmentFile) => Readonly<Record<string, string>>;

async function sendFile(
  deps: LocalstoreDeps,
  request: FastifyRequest<AttachmentRoute>,
  reply: FastifyReply,
  headersOf: HeadersOf,
): Promise<FastifyReply> {
  const file = await findFile(deps, request);
  const headers = headersOf(file);
  const range = requestedRange(request, file.size);
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', contentRange(range, file.size));
    throw new OrchestratorError(
      'RangeNotSatisfiable',
      `The attachment has ${file.size} bytes, none of which is in the range.`,
    );
  }
  const content = await openFile(deps, file, range);
  reply.headers(headers);
  reply.header('Content-Length', range === null ? file.size : range.end - range.start);
  if (range !== null) {
    reply.code(REASON_CODES.PartialContent).header('Content-Range', contentRange(range, file.size));
  }
  return reply.send(content);
}

/** Throws `NotFound` for unknown or deleted files, also for impossible ids. */
async function findFile(
  { store, blobs }: LocalstoreDeps,
  request: FastifyRequest<AttachmentRoute>,
): Promise<AttachmentFile> {
  const workflow = await runInPath(store, request, GET);
  const { attachment_id: attachment } = request.params;
  if (!isUuid(attachment)) throw attachmentNotFound(attachment);
  const attachmentId = parseAttachmentId(attachment);
  const row = await store.attachment(workflow.workflowId, attachmentId);
  const key = blobKey(workflow.workflowId, attachmentId);
  const info = row === null ? null : await blobs.info(key);
  if (row === null || info === null) throw attachmentNotFound(attachment);
  return { key, row, size: info.size, type: await typeOf(blobs, key, row) };
}

async function typeOf(
  blobs: LocalstoreDeps['blobs'],
  key: string,
  { name, type: attachedAs }: AttachmentRow,
): Promise<string> {
  const type = contentType(name, attachedAs);
  if (!isText(type)) return type;
  const beginning = await blobs.get(key, { start: 0, end: BEGINNING_BYTES });
  return beginning === null ? type : textType(type, await buffer(beginning.content));
}

const blobKey = (workflowId: WorkflowId, attachmentId: AttachmentId): string =>
  `${workflowId}/${attachmentId}`;

const attachmentNotFound = (id: string): OrchestratorError =>
  new OrchestratorError('NotFound', `Attachment ${id} not found.`);

async function openFile(
  { blobs }: LocalstoreDeps,
  { key, row }: AttachmentFile,
  range: ByteRange | null,
): Promise<Readable> {
  const blob = await blobs.get(key, range ?? undefined);
  // Retention may have removed it since it was found.
  if (blob === null) throw attachmentNotFound(row.attachmentId);
  return blob.content;
}

/**
 * Attachments come from tests and can contain anything. In a browser, they must not act with the rights of the user who opened
 * them.
 */
const fileHeaders: HeadersOf = ({ row, type }) => ({
  'Content-Type': type,
  'Content-Disposition': contentDisposition(row.attachmentId, row.name),
  'Accept-Ranges': 'bytes',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
});
