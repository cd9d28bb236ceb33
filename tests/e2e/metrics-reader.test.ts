/**
 * Prometheus' own library of Python reads `GET /metrics`. It knows nothing of this project, and fails on other formats. It is installed
 * from the Python package index on first use. Without Python or without that index the test says so and is skipped.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { METRICS } from '../../server/src/services/metrics/definitions.ts';
import { installPython, need } from '../support/found-tool.ts';
import { makeEnvironment, PIP } from '../support/python-environment.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { testPostgres } from '../support/test-databases.ts';
import { runInstaller, toolCache } from '../support/tool-cache.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const WANTED = 'prometheus-client==0.26.0';
const TIMEOUT_MS = 300_000;
/** Prints `[name, type, number of samples, sum of the values]` of each metric; counters without their suffix, as the library has them. */
const PROGRAM = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = text_string_to_metric_families(sys.stdin.read())
print(json.dumps([[f.name, f.type, len(f.samples), sum(s.value for s in f.samples)] for f in families]))
`;

const cache = toolCache('prometheus');
let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(() => bench.close());

async function install(python: string): Promise<{ tool: string } | { missing: string }> {
  return cache.install(WANTED, async (folder) => {
    await makeEnvironment(python, folder);
    const words = [...PIP, 'install', '--quiet', WANTED];
    await runInstaller(join(folder, 'bin/python'), words, cache.folder);
  });
}

async function readByLibrary(folder: string, text: string): Promise<readonly unknown[][]> {
  const program = bench.path('read.py');
  await writeFile(program, PROGRAM);
  const reading = promisify(execFile)(join(folder, 'bin/python'), [program]);
  reading.child.stdin?.end(text);
  return JSON.parse((await reading).stdout);
}

test('the library of Prometheus reads every metric with its type and its values', {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const python = need(installPython(), 'the reader of metrics', context);
  const folder = need(await install(python), 'the reader of metrics', context);
  const id = await start(server, oneJob('seen', [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  await server.call('GET', '/metrics');
  const { text } = await server.call('GET', '/metrics');
  const read = new Map(
    (await readByLibrary(folder, text)).map(([name, ...facts]) => [String(name), facts]),
  );
  // Sizes of blobs come later; the others only with PostgreSQL, with replicas, or with SQLite.
  const absent =
    testPostgres() === null
      ? /^tutti_(?:blobs|database_(?!bytes)|replica|forwarded|takeovers)/
      : /^tutti_(?:blobs|replica|forwarded|takeovers|kept_logs)/;
  for (const [name, { type }] of Object.entries(METRICS)) {
    if (absent.test(name)) continue;
    const known = type === 'counter' ? name.replace(/_total$/, '') : name;
    expect(read.get(known)?.[0], name).toBe(type);
  }
  expect(read.get('tutti_runs_accepted')).toEqual(['counter', 1, 1]);
  expect(read.get('tutti_runs_ended')).toEqual(['counter', 3, 1]);
});
