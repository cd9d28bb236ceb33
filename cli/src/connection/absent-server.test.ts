/** Every command reports a missing server alike, and at once. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-absent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'w.yaml');
writeFileSync(file, 'metadata: {name: w}\njobs: {a: {runs-on: linux, steps: [{run: x}]}}\n');
const ID = '99999999-0000-4000-8000-000000000009';
const SERVER = ['--server', 'http://127.0.0.1:1', '--token', 'T'];

test.each([
  `run ${file}`,
  `run ${file} --wait`,
  `run --from-failed ${ID}`,
  'status',
  `status ${ID}`,
  `status ${ID} --log --follow`,
  'workflows',
  'workflows --watch',
  'workflows show',
  `workflows show ${ID}`,
  `workflows events ${ID}`,
  `workflows events ${ID} --follow`,
  `workflows manifest ${ID}`,
  `workflows cancel ${ID} --wait`,
  `workflows rerun ${ID} --wait`,
  `workflows delete ${ID}`,
  `workflows watch ${ID}`,
  'cancel --all',
  `jobs ${ID} --watch`,
  `tags ${ID}`,
  `logs ${ID}`,
  `logs ${ID} --follow`,
  `logs ${ID} --follow --step x`,
  `testcases ${ID}`,
  `attachments ${ID} --save-to ${folder}`,
  `report ${ID}`,
  `gate ${ID}`,
  'providers',
  'agents',
  'agents --watch',
  `agents describe ${ID}`,
  `agents drain ${ID} --wait`,
  'agents undrain --all',
  `agents delete ${ID}`,
  'channels',
  'namespaces',
  'subscriptions',
  'subscriptions create --endpoint http://127.0.0.1:2',
  'subscriptions listen',
  `subscriptions delete ${ID}`,
  'publish --kind K',
])('"tutti %s" says that nothing listens there', async (line) => {
  const { code, stdout, stderr } = await runCommand([...line.split(' '), ...SERVER]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    [
      'tutti: The server http://127.0.0.1:1 cannot be reached.',
      '  Nothing listens there.',
      'What to do: start a server with "tutti server", or name another one with --server or TUTTI_SERVER.',
      '',
    ].join('\n'),
  );
});

/** A data directory that names a server which does not answer. */
const SILENT = join(folder, 'silent one');
mkdirSync(SILENT);
writeFileSync(join(SILENT, 'admin.token'), 'T\n');
const ANNOUNCED = JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid });
writeFileSync(join(SILENT, 'server.json'), ANNOUNCED);

test.each(['status', 'agents', 'version', 'subscriptions listen', 'cancel --all', 'done'])(
  '"tutti %s" says of a data directory that its server is not there, and how to start it',
  async (line) => {
    const words = line.split(' ');
    const named = await runCommand([...words, '--data-dir', SILENT]);
    expect([named.code, named.stderr]).toEqual([
      2,
      [
        `tutti: The server of the data directory ${SILENT} cannot be reached at http://127.0.0.1:1.`,
        '  Nothing listens there.',
        `What to do: start it with "tutti server --data-dir '${SILENT}'", or name another one with --server or TUTTI_SERVER.`,
        '',
      ].join('\n'),
    ]);
    expect(await runCommand(words, { env: { TUTTI_DATA_DIR: SILENT } })).toEqual(named);
  },
);

test('waiting for the server of a data directory reports that it is missing', async () => {
  const { stderr } = await runCommand(['ready', '--data-dir', SILENT, '--timeout', '0']);
  expect(stderr).toBe(
    `tutti: Not ready after 0 s. The server of the data directory ${SILENT} cannot be reached at http://127.0.0.1:1. Nothing listens there.\n`,
  );
});
