/** An option that needs a file refuses a directory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-named-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ID = '99999999-0000-4000-8000-000000000009';
const SERVER = '--server https://127.0.0.1:1 --token T';

test.each([
  'config import',
  'config view --client-config',
  `doctor --client-config`,
  `agents ${SERVER} --ca-file`,
  `gate ${ID} ${SERVER} --gate strict --definition`,
  `report ${ID} ${SERVER} --using`,
  'tokens show --token-file',
  'agents --server https://127.0.0.1:1 --token-file',
  'tokens create --subject x --key',
])('"tutti %s DIRECTORY" says that it is a directory', async (line) => {
  const { code, stdout, stderr } = await runCommand([...line.split(' '), folder]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(
    `tutti: Cannot read ${folder}: it is a directory.\n` +
      'What to do: choose another path, or see to it that this account may use this one.\n',
  );
});

test.each([
  ['is not there', join(folder, 'none.yaml'), 'there is no such file'],
  ['is a directory', folder, 'it is a directory'],
])(
  'a configuration of a server that %s is told without words of the system',
  async (_, file, why) => {
    expect(await runCommand(['server', '--config', file])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `tutti: Cannot read the configuration file ${file}: ${why}.\n` +
        'What to do: name another one with --config or TUTTI_CONFIG, or see to it that this account may read this one.\n',
    });
  },
);
