/** The receptionist over a real blob store, with a bus that records publications. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTimestamp, type WorkflowEvent, type WorkflowId } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { expect, onTestFinished } from 'vitest';
import { NOW_MS } from '../../auth/testing.ts';
import { type FreeBytes, freeBytesOfSystem } from '../../blobs/filesystem/disk-space.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import type { EventBus, PublishOutcome } from '../../bus/bus.ts';
import { readHere } from '../../http/document-tasks.ts';
import { createTestApp, type TestApp } from '../../http/testing.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import { memoryBounds } from '../../runtime/memory-bounds.ts';
import { createMeters } from '../../runtime/meters.ts';
import { ALL_NETWORKS, OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import { RunMemory } from '../../runtime/run-memory.ts';
import type { WorkflowRow } from '../../store/store.ts';
import { receptionistRoutes } from './routes.ts';
import type { StartAdmission } from './start-admission.ts';

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const MANIFEST = {
  metadata: { name: 'demo' },
  jobs: { a: { steps: [{ run: 'echo' }] } },
};
export const YAML = 'metadata: {name: demo}\njobs:\n  a:\n    steps:\n    - run: echo\n';
export const FILES_YAML = `${YAML}resources: {files: [data.bin, b, c]}\n`;

export interface Post {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

export interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  /** Makes it a file. */
  readonly fileName?: string;
  readonly type?: string;
}

export const workflow = (content: string): Part => ({
  name: 'workflow',
  content,
  fileName: 'w.yaml',
});
export const file = (name: string, content: string | Buffer = name): Part => ({
  name,
  content,
  fileName: name,
});

/** The Status manifest of a run that was accepted. */
export const created = () => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  message: expect.stringMatching(/^Workflow demo accepted \(workflow_id=[0-9a-f-]{36}\)\.$/),
  status: 'Success',
  reason: 'Created',
  code: 201,
  details: { workflow_id: expect.stringMatching(UUID) },
});

export const refused = (
  code: number,
  reason: string,
  message: unknown,
  details: unknown = null,
) => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  message,
  status: 'Failure',
  reason,
  code,
  details,
});

interface ReceptionParts {
  readonly outcome?: PublishOutcome;
  readonly privateNetworks?: typeof ALL_NETWORKS;
  readonly admission?: Pick<StartAdmission, 'admit'>;
  readonly disk?: { readonly freeBytes?: FreeBytes };
  readonly earlier?: readonly Run[];
}

/** All of it is removed when the test ends. */
export async function openReception({
  outcome = { outcome: 'accepted' },
  privateNetworks = ALL_NETWORKS,
  admission = { admit: async () => () => undefined },
  disk = {},
  earlier = [],
}: ReceptionParts = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-receptionist-'));
  const published: WorkflowEvent[] = [];
  const bus: Pick<EventBus, 'publish'> = {
    publish: async (event) => {
      if (outcome.outcome === 'accepted' && event.kind === 'Workflow') published.push(event);
      return outcome;
    },
  };
  const blobs = await openFilesystemBlobStore({
    directory: folder,
    freeBytes: (directory) => (disk.freeBytes ?? freeBytesOfSystem)(directory),
  });
  const find = async (id: WorkflowId) =>
    earlier.find(({ workflowId }) => workflowId === id) ?? null;
  const routes = receptionistRoutes({
    memory: new RunMemory(memoryBounds()),
    bus,
    blobs,
    runs: { find },
    documents: readHere,
    store: {
      workflow: async (id) => {
        const run = await find(id);
        return run === null ? null : rowOf(run);
      },
    },
    clock: {
      now: () => NOW_MS,
      timestamp: () => formatTimestamp(NOW_MS),
      monotonicMs: () => NOW_MS,
    },
    ids: createIds(systemClock),
    meters: createMeters(),
    isTraced: false,
    apiGroup: 'opentestfactory.org',
    limits: { bodyBytes: 100_000, fileBytes: 50_000 },
    admission,
    outgoing: new OutgoingPolicy({ privateNetworks }),
    isLocal: false,
  });
  const config = { limits: { bodyBytes: 100_000 } };
  const fixture = await createTestApp({ routes: [routes], config });
  onTestFinished(async () => {
    await fixture.app.close();
    rmSync(folder, { recursive: true });
  });
  const blobScopes = () => readdirSync(folder).filter((name) => UUID.test(name));
  return { ...fixture, ...callers(fixture), folder, blobs, published, blobScopes };
}

const rowOf = ({ workflowId, name, namespace, createdAt, completedAt }: Run): WorkflowRow => ({
  ...{ workflowId, name, namespace, createdAt, completedAt },
  ...{ status: 'DONE', live: false, workers: [] },
});

function callers({ app, admin }: TestApp) {
  const post = async ({ query = '', headers = {}, payload = '' }: Post) => {
    const response = await app.inject({
      method: 'POST',
      url: `/workflows${query}`,
      headers: { authorization: admin, ...headers },
      payload,
    });
    return response.json();
  };
  const typed =
    (type: string) =>
    (payload: string | Buffer, query = '') =>
      post({ query, payload, headers: { 'content-type': type } });
  const multipart = (parts: readonly Part[], query = '', end = '--boundary--\r\n') =>
    typed('multipart/form-data; boundary=boundary')(encodeParts(parts, end), query);
  const sendJson = typed('application/json');
  return {
    post,
    multipart,
    yaml: typed('application/x-yaml'),
    json: (value: unknown, query = '') => sendJson(JSON.stringify(value), query),
  };
}

/** Without content types of their own, as the clients send them. */
function encodeParts(parts: readonly Part[], end: string): Buffer {
  const pieces = parts.flatMap(({ name, content, fileName, type }) => [
    `--boundary\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    type === undefined ? '' : `\r\nContent-Type: ${type}`,
    '\r\n\r\n',
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece)));
}
