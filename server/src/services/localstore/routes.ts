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
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { holderOf } from '../../http/holder.ts';
import { type ByteRange, contentRange, requestedRange } from '../../http/range.ts';
import { sendStatus } from '../../http/reply.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import { type RunPath, type RunRight, runInPath } from '../../http/run-in-path.ts';
import type { Clock } from '../../runtime/clock.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { ShareFractions } from '../../runtime/shares.ts';
import type { AttachmentRow, Store } from '../../store/store.ts';
import { contentDisposition } from './content-disposition.ts';
import { BEGINNING_BYTES, contentType, isText, textType } from './content-type.ts';
import { viewHeaders } from './view-headers.ts';

export interface LocalstoreDeps {
  readonly store: Pick<Store, 'workflow' | 'attachment'>;
  readonly blobs: Pick<BlobStore, 'info' | 'get'>;
  /** The port that serves reports with several files, and nothing else; 0 without one. */
  readonly reportsPort: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: ShareFractions;
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
      (_request, reply) => sendFile(deps, reply, fileHeaders),
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
      (request, reply) => sendFile(deps, reply, ({ type }) => viewHeaders(request, type)),
    );
    reportRoutes(app, deps);
  };
}

/** Loads what unpacks reports with the first one. */
function reportRoutes(app: FastifyInstance, deps: LocalstoreDeps): void {
  const { reportsPort } = deps;
  const reports = loadedOnce(async () => {
    const { Reports } = await import('./reports.ts');
    return new Reports(reportsPort, deps);
  });
  app.post<AttachmentRoute>(
    `${PATH}/ticket`,
    {
      bodyLimit: TICKET_BODY_BYTES_MAX,
      config: { access: GET, body: 'bytes' },
      schema: {
        summary: 'An address for a report with several files',
        tags: ['localstore'],
        operation: ticketOperation,
      },
    },
    async (request, reply) => {
      const { key, row } = await findFile(deps, request);
      if (reportsPort === 0) {
        throw new OrchestratorError(
          'Conflict',
          'The server has no port for reports. What to do: set ui.reportsPort, or download the file.',
        );
      }
      const asked = { key, type: row.type, title: row.name, holder: holderOf(request) };
      return sendStatus(reply, await (await reports()).ticket(request, asked));
    },
  );
  if (reportsPort === 0) return;
  app.get('/reports/*', { config: { access: 'none' } }, async (request, reply) => {
    if (request.socket.localPort !== reportsPort)
      throw new OrchestratorError('NotFound', 'No such path.');
    return await (await reports()).answer(request, reply);
  });
}

/** The request needs no body. Some programs send an empty document. */
const TICKET_BODY_BYTES_MAX = 16;

const ticketOperation: DescribedOperation = ({ count, listOf, orNull, record, text }) => ({
  id: 'newReportTicket',
  description:
    'Of a report folder: the address of its files on the port for reports, of its first page, and of its traces in the viewer of the report. It counts for ten minutes.',
  answers: {
    Created: {
      message: 'Ticket created.',
      schema: record({
        url: text,
        page: orNull(text),
        traces: listOf(record({ path: text, url: text })),
        files: count,
        left_out: count,
        expires: text,
      }),
      example: {
        url: 'http://127.0.0.1:7775/WORD/',
        page: 'http://127.0.0.1:7775/WORD/index.html',
        traces: [],
        files: 3,
        left_out: 0,
        expires: '2026-01-31T12:34:56.123456',
      },
    },
  },
  failures: ['Conflict', 'TooManyRequests'],
});

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
  reply: FastifyReply<AttachmentRoute>,
  headersOf: HeadersOf,
): Promise<FastifyReply<AttachmentRoute>> {
  const { request } = reply;
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
