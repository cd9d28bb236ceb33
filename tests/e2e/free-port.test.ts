/** Ports for programs that cannot choose one themselves. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../support/free-port.ts');
const COUNT = 150;
const SCRIPT = `import { freePort } from ${JSON.stringify(MODULE)};
const ports = [];
while (ports.length < ${COUNT}) ports.push(await freePort());
console.log(ports.join(' '));
// Until the other process has its ports as well.
process.stdin.resume();`;

test('a port is given once, to whichever process of tests, while nobody listens on it yet', async () => {
  const processes = [0, 1].map(() =>
    execFile(process.execPath, ['--input-type=module', '-e', SCRIPT]),
  );
  const ports = await Promise.all(
    processes.map(async ({ stdout }) => {
      let text = '';
      for await (const part of stdout ?? []) {
        text += part;
        if (text.endsWith('\n')) break;
      }
      return text.trim().split(' ');
    }),
  );
  for (const { stdin } of processes) stdin?.end();
  expect(new Set(ports.flat()).size).toBe(2 * COUNT);
});
