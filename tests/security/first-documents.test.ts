/** The first document that a server gets: its code is loaded and compiled in that turn. Only the built program has its checks ready. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { startCli } from '../e2e/cli-process.ts';
import { Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';
import { METER, TURN_MS_MAX } from './measured-server.ts';

vi.setConfig({ testTimeout: 300_000 });

const BUILD = join(import.meta.dirname, '../../scripts/build/build.ts');
const WRONG = 'metadata: {name: a}\njobs: {a: {runs-onn: linux, steps: [{run: echo}]}}\n';

let bench: Workbench;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [BUILD]);
  bench = await Workbench.open();
});

afterAll(() => bench.close());

/** The longest turn of a new server, in milliseconds, from the end of its start to its answer. */
async function firstTurn(environment: Readonly<Record<string, string>>): Promise<number> {
  const [dataDir, socket] = [bench.path('data'), bench.path('turns')];
  const server = startCli(['server', '--port', '0', '--data-dir', dataDir], {
    cwd: bench.folder,
    env: { NODE_OPTIONS: `--import ${METER}`, TUTTI_TURN_METER: socket, ...environment },
  });
  const [, url] = await server.said(/ready on (\S+)/);
  const token = await readFile(join(dataDir, 'admin.token'), 'utf8');
  await text(connect(socket));
  const answer = await fetch(`${url}/workflows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/yaml' },
    body: WRONG,
  });
  const turn = Number(await text(connect(socket)));
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('did you mean \\"runs-on\\"?');
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  return turn;
}

attack('documents-first', async () => {
  for (const environment of [{}, { TUTTI_API_GROUP: 'example.org' }]) {
    const turns = [];
    for (let servers = 0; servers < 3; servers += 1) turns.push(await firstTurn(environment));
    expect(turns.filter((ms) => ms > TURN_MS_MAX).length, `${turns.join()} ms`).toBeLessThan(2);
  }
});
