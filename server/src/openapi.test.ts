import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from './main.ts';
import { loadConfig } from './runtime/config.ts';

/** After a change of the interface: `npx vitest run --project unit server/src/openapi.test.ts -u`. */
test('openapi.json describes the interface as it is', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tutti-openapi-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const options = { port: 0, dataDir, logLevel: 'silent' } as const;
  const server = await startServer(loadConfig({ env: {}, options }));
  onTestFinished(() => server.stop());
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  const response = await fetch(`${server.url}/openapi.json`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await expect(await response.text()).toMatchFileSnapshot('../../openapi.json');
});
