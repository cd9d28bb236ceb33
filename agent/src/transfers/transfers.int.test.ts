import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileNews } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../agent-logger.ts';
import { createConnection } from '../connection/http-connection.ts';
import { REQUEST_TIMEOUT_MS, TRANSFER_ATTEMPTS_MAX } from '../limits.ts';
import { openFolder, openServer, present } from '../testing/agent-fixture.ts';
import type { ScriptedServer } from '../testing/scripted-server.ts';
import { systemTiming } from '../timing.ts';
import { createTransfers } from './transfers.ts';

const fileId = 'f0e1d2c3-0000-4000-8000-000000000001';

/** A server that knows the agent, and its transfers, with pauses of a millisecond. */
async function openTransfers() {
  const server = await openServer();
  const folder = await openFolder();
  const connection = createConnection({ server: new URL(server.url), token: () => null });
  const over = new AbortController();
  onTestFinished(() => {
    over.abort();
    connection.close();
  });
  const agent = await register(server);
  const pauses: number[] = [];
  const transfers = createTransfers({
    connection,
    fileUrl: (id) => `${agent}/files/${id}`,
    folders: { workspaceDir: folder, scriptPath: folder },
    roots: () => [folder],
    owner: () => null,
    signal: over.signal,
    report: (news: FileNews) =>
      connection.send({
        method: 'POST',
        path: agent,
        json: JSON.stringify(news),
        timeoutMs: REQUEST_TIMEOUT_MS,
        repeatable: true,
      }),
    timing: {
      ...systemTiming,
      wait: (ms, signal) => {
        pauses.push(ms);
        return systemTiming.wait(1, signal);
      },
    },
    logger: silentLogger,
  });
  const manyMoreAttempts = () =>
    present(() => (pauses.length > 4 * TRANSFER_ATTEMPTS_MAX ? true : null));
  return { server, folder, transfers, pauses, manyMoreAttempts };
}

async function register({ url }: ScriptedServer): Promise<string> {
  const response = await fetch(`${url}/agents`, { method: 'POST', body: '{}' });
  const { details } = (await response.json()) as { details: { uuid: string } };
  return `${new URL(url).pathname}/agents/${details.uuid}`;
}

test('a file waits for a server that is away, however long it takes, and then goes over', async () => {
  const { server, folder, transfers, manyMoreAttempts } = await openTransfers();
  await writeFile(path.join(folder, 'report.xml'), '<testsuite/>');
  await server.goAway();
  await transfers.begin({ kind: 'get', file_id: fileId, path: 'report.xml' });
  await manyMoreAttempts();
  await server.comeBack();
  await transfers.settled();
  expect(server.received.get(fileId)?.toString()).toBe('<testsuite/>');
  expect(server.errors).toEqual([]);
});

test('a file that is fetched waits for a server that is away, and so does the news of it', async () => {
  const { server, folder, transfers, manyMoreAttempts } = await openTransfers();
  server.files.set(fileId, Buffer.from('in'));
  await server.goAway();
  await transfers.begin({ kind: 'put', file_id: fileId, path: 'in.txt', root: 'workspace' });
  await manyMoreAttempts();
  await server.comeBack();
  await transfers.settled();
  expect(readFileSync(path.join(folder, 'in.txt'), 'utf8')).toBe('in');
  expect(server.written).toEqual([fileId]);
});

test('a failure of a file is reported to a server that comes back', async () => {
  const { server, transfers, manyMoreAttempts } = await openTransfers();
  await server.goAway();
  await transfers.begin({ kind: 'get', file_id: fileId, path: 'missing' });
  await manyMoreAttempts();
  await server.comeBack();
  await transfers.settled();
  expect(server.errors).toEqual([expect.stringContaining('ENOENT')]);
});

// Bound: Retries of a file that the server refuses.
test('a transfer that the server itself refuses is retried a few times, and then reported', async () => {
  const { server, folder, transfers, pauses } = await openTransfers();
  await writeFile(path.join(folder, 'report.xml'), '<testsuite/>');
  server.refuseFilesWith = 'InternalError';
  await transfers.begin({ kind: 'get', file_id: fileId, path: 'report.xml' });
  await transfers.settled();
  expect(server.errors).toEqual([expect.stringContaining('InternalError')]);
  expect(pauses).toHaveLength(TRANSFER_ATTEMPTS_MAX - 1);
});
