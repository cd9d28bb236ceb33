/** Uploads over real connections. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import { readHere } from '../../http/document-tasks.ts';
import { createTestApp } from '../../http/testing.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import { memoryBounds } from '../../runtime/memory-bounds.ts';
import { createMeters } from '../../runtime/meters.ts';
import { OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import { RunMemory } from '../../runtime/run-memory.ts';
import { receptionistRoutes } from './routes.ts';

const MANIFEST =
  'metadata: {name: demo}\njobs: {a: {steps: [{run: x}]}}\nresources: {files: [data]}\n';

async function listen() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-receptionist-'));
  const blobs = await openFilesystemBlobStore({ directory: folder });
  const stored: string[] = [];
  const routes = receptionistRoutes({
    memory: new RunMemory(memoryBounds()),
    store: { workflow: async () => null },
    runs: { find: async () => null },
    bus: { publish: async () => ({ outcome: 'accepted' }) },
    blobs: {
      put: async (key, content, options) => {
        const info = await blobs.put(key, content, options);
        stored.push(`${key.split('/')[1]}: ${info.size}`);
        return info;
      },
      get: (key) => blobs.get(key),
      info: (key) => blobs.info(key),
      deleteScope: (scope) => blobs.deleteScope(scope),
    },
    documents: readHere,
    clock: systemClock,
    ids: createIds(systemClock),
    outgoing: new OutgoingPolicy({ privateNetworks: [] }),
    isLocal: false,
    meters: createMeters(),
    isTraced: false,
    apiGroup: 'opentestfactory.org',
    limits: { bodyBytes: 100_000, fileBytes: 64 * 1024 * 1024 },
    admission: { admit: async () => () => undefined },
  });
  const { app, admin } = await createTestApp({ routes: [routes] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = app.server.address() as AddressInfo;
  const content = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { port, admin, stored, content };
}

/** Only a lost answer takes that long. */
const PATIENT = { timeout: 20_000 };

const part = (name: string, fileName: string) =>
  `--boundary\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n`;

test('an upload that breaks off leaves nothing behind', async () => {
  const { port, admin, content } = await listen();
  const socket = net.connect(port, '127.0.0.1');
  socket.write(
    `POST /workflows HTTP/1.1\r\nHost: a\r\nAuthorization: ${admin}\r\nContent-Length: 10000000\r\n` +
      'Content-Type: multipart/form-data; boundary=boundary\r\n\r\n' +
      `${part('workflow', 'w')}${MANIFEST}\r\n${part('data', 'd')}${'x'.repeat(200_000)}`,
  );
  await vi.waitFor(() => expect(content()).toHaveLength(1), PATIENT);
  socket.destroy();
  await vi.waitFor(() => expect(content()).toEqual([]), PATIENT);
});

test('the refusal of a manifest is read also by a client that is still sending files', async () => {
  const { port, admin, content } = await listen();
  const body = new FormData();
  body.set('workflow', new Blob(['metadata: {name: demo}']), 'w.yaml');
  body.set('data', new Blob([new Uint8Array(8 * 1024 * 1024)]), 'data');
  const response = await fetch(`http://127.0.0.1:${port}/workflows`, {
    method: 'POST',
    headers: { authorization: admin },
    body,
  });
  expect(await response.json()).toMatchObject({ code: 422, reason: 'Invalid' });
  expect(content()).toEqual([]);
});

test('a file of many megabytes arrives whole', async () => {
  const { port, admin, stored } = await listen();
  const body = new FormData();
  body.set('data', new Blob([new Uint8Array(32 * 1024 * 1024)]), 'data');
  body.set('workflow', MANIFEST);
  const response = await fetch(`http://127.0.0.1:${port}/workflows`, {
    method: 'POST',
    headers: { authorization: admin },
    body,
  });
  expect(await response.json()).toMatchObject({ code: 201 });
  expect(stored).toEqual([`in_0: ${32 * 1024 * 1024}`]);
});
