import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TUTTI = join(import.meta.dirname, '../../bin/tutti.js');

test.skipIf(process.platform === 'win32').each(['server', 'status'])(
  '%s in a directory that was removed is refused with a sentence',
  async (command) => {
    const folder = mkdtempSync(join(tmpdir(), 'tutti-removed-'));
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" "$4"';
    const args = ['-c', script, 'sh', folder, process.execPath, TUTTI, command];
    const ended = Promise.withResolvers<readonly [code: unknown, stderr: string]>();
    execFile('sh', args, (error, _stdout, stderr) => ended.resolve([error?.code, stderr]));
    expect(await ended.promise).toEqual([
      2,
      'tutti: The directory that this was called in is gone.\n' +
        'What to do: change to one that is there, then try again.\n',
    ]);
  },
);
