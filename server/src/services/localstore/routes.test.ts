import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttachmentId,
  formatTimestamp,
  parseAttachmentId,
  parseWorkflowId,
  type WorkflowId,
} from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW_MS } from '../../auth/testing.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { createTestApp, type TestApp } from '../../http/testing.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { AttachmentRow, Store } from '../../store/store.ts';
import { localstoreRoutes } from './routes.ts';

const RUN = parseWorkflowId('0198c0de-0000-7000-8000-000000000001');
const REPORT = parseAttachmentId('0198c0de-0000-7000-8000-00000000000a');
const EMPTY = parseAttachmentId('0198c0de-0000-7000-8000-00000000000b');
const LOST = parseAttachmentId('0198c0de-0000-7000-8000-00000000000c');
const LATIN = parseAttachmentId('0198c0de-0000-7000-8000-00000000000d');
const ARCHIVE = parseAttachmentId('0198c0de-0000-7000-8000-00000000000e');
const PICTURE = parseAttachmentId('0198c0de-0000-7000-8000-00000000000f');
const DRAWING = parseAttachmentId('0198c0de-0000-7000-8000-000000000010');
const UNKNOWN = '0198c0de-0000-7000-8000-0000000000ff';

const REPORTS = {
  reportsPort: 0,
  clock: systemClock,
  limits: { subjectShare: 1, namespaceShare: 1 },
};

let folder: string;
let store: Store;
let blobs: BlobStore;
let fixture: TestApp;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-localstore-'));
  store = await openSqliteStore({ file: join(folder, 'store', 'tutti.db') });
  blobs = await openFilesystemBlobStore({ directory: join(folder, 'blobs') });
  await addRun(RUN, 'ours', [
    { attachmentId: REPORT, name: 'my report.html', type: 'text/html' },
    { attachmentId: EMPTY, name: 'empty.log', type: null },
    { attachmentId: LATIN, name: 'latin.txt', type: 'text/plain' },
    { attachmentId: LOST, name: 'lost.log', type: null },
    { attachmentId: ARCHIVE, name: 'a.zip', type: null },
    { attachmentId: PICTURE, name: 'a.png', type: null },
    { attachmentId: DRAWING, name: 'a.svg', type: null },
  ]);
  await addBlob(REPORT, '0123456789');
  await addBlob(EMPTY, '');
  for (const id of [ARCHIVE, PICTURE, DRAWING]) await addBlob(id, '0123456789');
  await addBlob(LATIN, Buffer.from('Prüfung', 'latin1'));
  fixture = await createTestApp({ routes: [localstoreRoutes({ store, blobs, ...REPORTS })] });
});
afterAll(async () => {
  await fixture.app.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function addRun(
  workflowId: WorkflowId,
  namespace: string,
  attachments: readonly AttachmentRow[],
): Promise<void> {
  const createdAt = formatTimestamp(NOW_MS);
  await store.append({
    workflowId,
    expectedSeq: 0,
    events: [{ kind: 'Workflow', json: '{}' }],
    documents: [],
    outbox: [],
    projection: {
      workflow: {
        workflowId,
        name: 'demo',
        namespace,
        status: 'RUNNING',
        live: true,
        workers: [],
        createdAt,
        completedAt: null,
      },
      logText: '',
      attachments,
      testCases: [],
      jobs: [],
    },
  });
}

async function addBlob(id: AttachmentId, content: string | Buffer): Promise<void> {
  const bytes = async function* () {
    yield Buffer.from(content);
  };
  await blobs.put(`${RUN}/${id}`, bytes(), { sizeMax: 1000 });
}

interface Call {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Record<string, string>;
}

const call = (path: string, { method = 'GET', headers = {} }: Call = {}) =>
  fixture.app.inject({
    method,
    url: `/workflows/${path}`,
    headers: { authorization: fixture.admin, ...headers },
  });

describe('the content of an attachment', () => {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-length': '10',
    'content-disposition': `attachment; filename*=UTF-8''${REPORT}_my%20report.html; filename=${REPORT}_my_report.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
  };

  test('GET answers the bytes, and headers that keep a browser from running them', async () => {
    const response = await call(`${RUN}/files/${REPORT}`);
    expect([response.statusCode, response.body]).toEqual([200, '0123456789']);
    expect(response.headers).toMatchObject(headers);
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  // HTTP 4.8: HEAD gives the same headers alone.
  test('HEAD answers the same headers without a body', async () => {
    const response = await call(`${RUN}/files/${REPORT}`, { method: 'HEAD' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers).toMatchObject(headers);
  });

  test('may be empty', async () => {
    const response = await call(`${RUN}/files/${EMPTY}`);
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers).toMatchObject({
      'content-length': '0',
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename=${EMPTY}_empty.log`,
    });
  });

  // HTTP 4.8: GET gives the content, without a manifest, under its own type.
  test('a text that is not in UTF-8 is not said to be, in no part of it', async () => {
    for (const range of [{}, { range: 'bytes=0-1' }]) {
      const response = await call(`${RUN}/files/${LATIN}`, { headers: range });
      expect(response.headers['content-type']).toBe('text/plain');
    }
  });

  test('ids are found in any case', async () => {
    const path = `${RUN.toUpperCase()}/files/${REPORT.toUpperCase()}`;
    expect((await call(path)).body).toBe('0123456789');
  });

  test('a range of it is answered with 206', async () => {
    const response = await call(`${RUN}/files/${REPORT}`, { headers: { range: 'bytes=2-4' } });
    expect([response.statusCode, response.body]).toEqual([206, '234']);
    expect(response.headers).toMatchObject({
      'content-range': 'bytes 2-4/10',
      'content-length': '3',
    });
  });

  test.each(['GET', 'HEAD'] as const)(
    // HTTP 4.5: Logs: a range under a condition is all of it.
    '%s with a condition that cannot hold is about all of it',
    async (method) => {
      for (const range of ['bytes=2-4', 'bytes=10-']) {
        const conditional = { range, 'if-range': 'Sat, 31 Jan 2026 12:00:00 GMT' };
        const response = await call(`${RUN}/files/${REPORT}`, { method, headers: conditional });
        const body = method === 'GET' ? '0123456789' : '';
        expect([response.statusCode, response.body]).toEqual([200, body]);
        expect(response.headers).toMatchObject(headers);
        expect(response.headers).not.toHaveProperty('content-range');
      }
    },
  );

  test('a range behind its end is answered with 416', async () => {
    const response = await call(`${RUN}/files/${REPORT}`, { headers: { range: 'bytes=10-' } });
    expect(response.json()).toMatchObject({ code: 416, reason: 'RangeNotSatisfiable' });
    expect(response.headers['content-range']).toBe('bytes */10');
  });
});

describe('the view of an attachment', () => {
  test.each([
    ['a page', REPORT, 'text/html; charset=utf-8', 'sandbox allow-scripts'],
    ['a text', LATIN, 'text/plain', 'sandbox'],
    ['a picture', PICTURE, 'image/png', 'sandbox'],
    ['a drawing, whose scripts do not run,', DRAWING, 'image/svg+xml', 'sandbox'],
  ])('is %s without the rights of its reader', async (_what, id, type, sandbox) => {
    const response = await call(`${RUN}/files/${id}/view`);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': type,
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = String(response.headers['content-security-policy']).split('; ');
    expect(policy).toContain(sandbox);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy.join(' ')).not.toMatch(/https?:|\*|connect-src|allow-same-origin/);
  });

  test('is a download for the line of addresses', async () => {
    const headers = { 'sec-fetch-dest': 'document' };
    const response = await call(`${RUN}/files/${REPORT}/view`, { headers });
    expect(response.headers['content-disposition']).toBe('attachment');
  });

  test('has ranges', async () => {
    const response = await call(`${RUN}/files/${PICTURE}/view`, {
      headers: { range: 'bytes=2-4' },
    });
    expect([response.statusCode, response.body]).toEqual([206, '234']);
  });

  test('does not exist of a file that browsers do not show', async () => {
    const response = await call(`${RUN}/files/${ARCHIVE}/view`);
    expect(response.json()).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    expect(response.headers).not.toHaveProperty('content-disposition');
  });
});

// HTTP 1: Ids in paths are UUIDs; another form is refused.
// HTTP 4.8: 404 for an unknown workflow or file.
describe('what is unknown is not found', () => {
  test.each([
    ['a run', `${UNKNOWN}/files/${REPORT}`, `Workflow ${UNKNOWN} not found.`],
    ['a run without a valid id', `x/files/${REPORT}`, 'Workflow x not found.'],
    ['an attachment', `${RUN}/files/${UNKNOWN}`, `Attachment ${UNKNOWN} not found.`],
    ['an attachment without a valid id', `${RUN}/files/x`, 'Attachment x not found.'],
    ['a lost file', `${RUN}/files/${LOST}`, `Attachment ${LOST} not found.`],
  ])('%s', async (_, path, message) => {
    expect((await call(path)).json()).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      message,
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
      details: null,
    });
    const head = await call(path, { method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([404, '']);
  });
});

test.each([
  ['its namespace', { namespaces: ['ours'] }, 200],
  ['another namespace', { namespaces: ['theirs'] }, 403],
  ['another verb', { verbs: ['list'] }, 403],
  ['another resource', { resources: ['agents'] }, 403],
])('a token for %s', async (_, scope, code) => {
  const authorization = await fixture.restricted(scope);
  const response = await call(`${RUN}/files/${REPORT}`, { headers: { authorization } });
  expect(response.statusCode).toBe(code);
  if (code === 403) {
    expect(response.json().message).toBe('User bob is not authorized to get workflows.');
  }
});
