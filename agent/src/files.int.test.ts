import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually, openAgent, openFolder, present } from './testing/agent-fixture.ts';

const fileId = 'f0e1d2c3-0000-4000-8000-000000000001';
const otherId = 'f0e1d2c3-0000-4000-8000-000000000002';
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test.each([
  ['report.xml', Buffer.from('<testsuite/>')],
  ['a b/c d.bin', allBytes],
  ['empty', Buffer.alloc(0)],
  ['large', Buffer.alloc(5 * 1024 * 1024, 'large ')],
])('the file %o is sent byte by byte', async (name, content) => {
  const { server, folder } = await openAgent();
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), content);
  server.give({ kind: 'get', file_id: fileId, path: name });
  const received = await present(() => server.received.get(fileId));
  expect(received.equals(content)).toBe(true);
});

test('a file with an absolute path in an allowed directory is sent', async () => {
  const allowed = await openFolder();
  const { server } = await openAgent({ allowPaths: [allowed] });
  const file = path.join(allowed, 'x');
  await writeFile(file, 'content');
  server.give({ kind: 'get', file_id: fileId, path: file });
  expect((await present(() => server.received.get(fileId))).toString()).toBe('content');
});

test('a file outside of the workspace and the allowed directories is not sent', async () => {
  const { server, folder } = await openAgent({ allowPaths: [] });
  await writeFile(path.join(folder, 'beside'), 'secret');
  for (const [name, id] of [
    ['beside', fileId],
    ['/etc/hostname', otherId],
  ] as const) {
    server.give({ kind: 'get', file_id: id, path: name });
  }
  await eventually(() => expect(server.errors).toHaveLength(2));
  for (const error of server.errors) {
    expect(error).toMatch(
      /is outside of the workspace of its job\. To allow it, start the agent with --allow-path \//,
    );
  }
});

test('the workspace of a job is the directory of its name, or the one that a command names', async () => {
  const { server, folder, run, resultOf } = await openAgent({ allowPaths: [] });
  run('j/0', 'echo own > j/own; mkdir other; echo other > other/file', { directory: 'j' });
  await resultOf('j/0');
  server.give({ kind: 'get', file_id: fileId, path: path.join(folder, 'j/own') });
  expect((await present(() => server.received.get(fileId))).toString()).toBe('own\n');
  // Each file has an id of its own: the agent takes a repeated id for the same transfer.
  server.give({ kind: 'get', file_id: crypto.randomUUID(), path: 'other/file' });
  await eventually(() => expect(server.errors).toHaveLength(1));
  run('j/1', 'true', { workspace: 'other' });
  await resultOf('j/1');
  server.give({ kind: 'get', file_id: otherId, path: 'other/file' });
  expect((await present(() => server.received.get(otherId))).toString()).toBe('other\n');
  run('k/0', 'true');
  await resultOf('k/0');
  server.give({ kind: 'get', file_id: crypto.randomUUID(), path: 'other/file' });
  await eventually(() => expect(server.errors).toHaveLength(2));
});

test('a workspace that a step replaced by a link is none', async () => {
  const { server, run, resultOf } = await openAgent({ allowPaths: [] });
  const foreign = await openFolder();
  await writeFile(path.join(foreign, 'key'), 'secret');
  run('j/0', `rmdir j; ln -s '${foreign}' j`, { directory: 'j' });
  await resultOf('j/0');
  server.give({ kind: 'get', file_id: fileId, path: 'j/key' });
  server.files.set(otherId, Buffer.from('changed'));
  server.give({ kind: 'put', file_id: otherId, path: 'j/key', root: 'workspace' });
  await eventually(() => expect(server.errors).toHaveLength(2));
  expect(readFileSync(path.join(foreign, 'key'), 'utf8')).toBe('secret');
});

test.each([
  ['missing', 'ENOENT'],
  ['.', 'is not a regular file'],
  ['/dev/zero', 'is not a regular file'],
])('the server learns why %o cannot be sent', async (name, why) => {
  const { server } = await openAgent();
  server.give({ kind: 'get', file_id: fileId, path: name });
  const error = await present(() => server.errors[0]);
  expect(error).toMatch(`Failed to fetch file ${name}: `);
  expect(error).toContain(why);
});

test.each([
  ['in.txt', Buffer.from('in')],
  ['new folder/a b.bin', allBytes],
  ['empty', Buffer.alloc(0)],
  ['large', Buffer.alloc(5 * 1024 * 1024, 'large ')],
])(
  'the file %o is fetched into the workspace, whole, with nothing beside it',
  async (name, content) => {
    const { server, folder } = await openAgent({ scriptPath: await openFolder() });
    server.files.set(fileId, content);
    server.give({ kind: 'put', file_id: fileId, path: name, root: 'workspace' });
    const file = path.join(folder, name);
    const found = await eventually(() => readFileSync(file));
    expect(found.equals(content)).toBe(true);
    await eventually(() => expect(readdirSync(path.dirname(file))).toEqual([path.basename(name)]));
    await eventually(() => expect(server.written).toEqual([fileId]));
  },
);

test('a file without a root goes where scripts are', async () => {
  const scriptPath = await openFolder();
  const { server } = await openAgent({ scriptPath });
  server.files.set(fileId, Buffer.from('true'));
  server.give({ kind: 'put', file_id: fileId, path: 'j_0.sh' });
  const content = await eventually(() => readFileSync(path.join(scriptPath, 'j_0.sh'), 'utf8'));
  expect(content).toBe('true');
});

test('a failed download is reported to the server, and nothing is written', async () => {
  const { server, folder } = await openAgent();
  server.give({ kind: 'put', file_id: fileId, path: 'in.txt', root: 'workspace' });
  expect(await present(() => server.errors[0])).toContain('Failed to download file in.txt: ');
  expect(readdirSync(folder)).toEqual([]);
  expect(server.written).toEqual([]);
});

test('the server learns why a file cannot be written', async () => {
  const { server, folder } = await openAgent();
  await writeFile(path.join(folder, 'file'), '');
  server.files.set(fileId, Buffer.from('x'));
  server.give({ kind: 'put', file_id: fileId, path: 'file/below', root: 'workspace' });
  expect(await present(() => server.errors[0])).toContain('Failed to download file file/below: ');
});

test.runIf(process.platform === 'linux')(
  'of a file for /proc, which Linux has, the server hears why it cannot be written, and the agent goes on',
  async () => {
    const { server, run, resultOf } = await openAgent({ allowPaths: ['/'] });
    server.files.set(fileId, Buffer.from('x'));
    server.give({ kind: 'put', file_id: fileId, path: '/proc/nope/x1', root: 'workspace' });
    expect(await present(() => server.errors[0])).toMatch(
      /^Failed to download file \/proc\/nope\/x1: ENOENT/,
    );
    run('j/0', 'exit 0');
    expect(await resultOf('j/0')).toMatchObject({ exit_status: 0 });
  },
);

test('the log of the agent names no path that a step said', async () => {
  const logged: string[] = [];
  const log = (...all: readonly unknown[]) => void logged.push(JSON.stringify(all));
  const { server } = await openAgent({ logger: { info: log, warn: log, error: log } });
  server.give({ kind: 'get', file_id: fileId, path: 'a-Sup3rSecret' });
  expect(await present(() => server.errors[0])).toContain('a-Sup3rSecret');
  expect(logged.join()).toContain(fileId);
  expect(logged.join()).not.toContain('Sup3rSecret');
});

test('files move while a command runs, and a command finds the files that came before it', async () => {
  const { server, folder, run, resultOf, lineOf } = await openAgent();
  run('j/0', 'echo data > out.txt; echo written; until [ -e in.txt ]; do sleep 0.01; done; exit 3');
  await lineOf('j/0', 'written');
  server.files.set(otherId, Buffer.alloc(3 * 1024 * 1024, 'in '));
  server.give({ kind: 'get', file_id: fileId, path: 'out.txt' });
  server.give({ kind: 'put', file_id: otherId, path: 'in.txt', root: 'workspace' });
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 3 });
  expect(server.received.get(fileId)?.toString()).toBe('data\n');
  server.files.set(fileId, Buffer.alloc(3 * 1024 * 1024, 'more'));
  server.give({ kind: 'put', file_id: fileId, path: 'more.txt', root: 'workspace' });
  run('j/1', 'wc -c < more.txt');
  await resultOf('j/1');
  expect(server.linesOf('j/1').map(Number)).toEqual([3 * 1024 * 1024]);
  expect(readFileSync(path.join(folder, 'in.txt')).length).toBe(3 * 1024 * 1024);
});

test('a command that is not understood does not end the agent', async () => {
  const { server, run, resultOf } = await openAgent();
  server.give({ kind: 'dance' });
  server.give({ kind: 'get', file_id: '../../etc/passwd', path: 'x' });
  run('j/0', 'exit 0');
  expect(await resultOf('j/0')).toMatchObject({ exit_status: 0 });
});
