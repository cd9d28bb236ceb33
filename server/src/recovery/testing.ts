/** Small data directories for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowId } from '@tutti/manifests';
import { onTestFinished } from 'vitest';
import { ensureAdminToken } from '../auth/tokens.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../blobs/filesystem/filesystem-blob-store.ts';
import { systemClock } from '../runtime/clock.ts';
import { blobsOf, databaseOf } from '../runtime/data-directory.ts';
import {
  append,
  attachmentId,
  timestamp,
  workflowId,
  workflowRow,
} from '../store/conformance/samples.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';

/** A folder of this test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-recovery-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface OpenData {
  readonly store: Store;
  readonly blobs: BlobStore;
}

/** The store and the blobs of a data directory, opened as a server does. */
export async function openData(dataDir: string): Promise<OpenData> {
  return {
    store: await openSqliteStore({ file: databaseOf(dataDir) }),
    blobs: await openFilesystemBlobStore({ directory: blobsOf(dataDir) }),
  };
}

export const contentOf = (number: number): string => `content of ${number}\n`.repeat(number);

/** A run that is over, and has one attachment with its file. */
export async function addRun({ store, blobs }: OpenData, number: number): Promise<WorkflowId> {
  const id = workflowId(number);
  const [over, uuid] = [timestamp(number), attachmentId(number)];
  await blobs.put(`${id}/${uuid}`, chunk(contentOf(number)), { sizeMax: 1_000_000 });
  await store.append(
    append(id, 0, {
      projection: {
        workflow: workflowRow(id, { live: false, status: 'DONE', completedAt: over }),
        logText: `log of ${number}\n`,
        attachments: [{ attachmentId: uuid, name: 'report.xml', type: null }],
      },
    }),
  );
  return id;
}

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Data of a stopped server: two runs that are over, one that is not, keys, and a description of functions. */
export async function createSampleData(folder: string): Promise<string> {
  const dataDir = join(folder, 'data');
  const open = await openData(dataDir);
  for (const number of [1, 2]) await addRun(open, number);
  await open.store.append(append(workflowId(3), 0));
  await open.store.close();
  await ensureAdminToken(dataDir, systemClock);
  mkdirSync(join(dataDir, 'providers'));
  writeFileSync(join(dataDir, 'providers', 'shop.yaml'), 'kind: Provider\n');
  return dataDir;
}
