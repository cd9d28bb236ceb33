import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChild } from '../support/child.ts';
import { ROOT } from './source-files.ts';

/** Modules that are loaded later, by the beginnings of their paths, and the time of loading. */
const LATER: readonly (readonly [path: string, when: string])[] = [
  ['server/src/store/sqlite/writer-worker.ts', 'the first request that may change something'],
  ['server/src/store/sqlite/batch-writer.ts', 'the first request that may change something'],
  ['node_modules/ajv/', 'the first document'],
  ['node_modules/yaml/', 'the first document in YAML'],
  ['node_modules/jose/', 'the first token with times, or of another issuer'],
  ['packages/workflow/src/validation/', 'the first workflow'],
  ['packages/workflow/src/plan/', 'never: it is for the command line'],
  ['packages/client/', 'never: it is for the command line'],
  ['agent/', 'never: it is for agents'],
  ['server/src/http/page.ts', 'the first look at the page'],
  ['server/src/http/openapi-', 'the first look at the description of the interface'],
  ['server/src/plugins/agentchannel/routes/shared-polls.ts', 'the first agent with slots'],
  ['server/src/plugins/agentchannel/routes/waiting-list.ts', 'the first list of waiting jobs'],
  ['server/src/hook-files.ts', 'the start, where hooks are configured'],
  ['server/src/services/observer/run-page/', 'the first page about a run'],
  ['server/src/services/localstore/report', 'the first report with several files'],
  ['server/src/services/eventbus/generated-jobs.ts', 'the first answer of a generator'],
  ['server/src/services/observer/lists/run-list.ts', 'the first list of runs'],
  ['server/src/services/observer/lists/change-stream.ts', 'the first reader of changes'],
  ['server/src/services/observer/lists/fill-summary.ts', 'the first run without a summary'],
  ['server/src/services/receptionist/called-files.ts', 'the first workflow with files'],
  ['server/src/plugins/interpreters/surefire/', 'the first report of the format'],
  ['server/src/plugins/interpreters/cucumber/', 'the first report of the format'],
  ['server/src/plugins/interpreters/thread/read-in-thread.ts', 'the first large report'],
  ['server/src/plugins/insightcollector/page/', 'the first report on a run'],
  ['server/src/plugins/insightcollector/summary-content.ts', 'the first report on a run'],
  ['server/src/blobs/s3/open-bucket.ts', 'the start, where a bucket is configured'],
  ['node_modules/@aws-sdk/', 'the start, where a bucket is configured'],
  ['server/src/store/postgres/postgres-store.ts', 'the start, where a database is configured'],
  ['server/src/http/open-changes.ts', 'the start, where a database is configured'],
  ['node_modules/pg/', 'the start, where a database is configured'],
  ['server/src/cluster/', 'the start, where there are several replicas'],
  ['server/src/recovery/', 'never: it is for the command line'],
];

/**
 * All sources of a start, with those of packages. 140 KB of source take half a MiB of the 100 MiB of an idle server. Modules that only some
 * runs need are imported on demand.
 */
const BYTES_MAX = 3_570_000;

let folder: string;
let loaded: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-start-'));
  const list = join(folder, 'modules');
  const hooks = new URL(`../support/list-modules.js?to=${list}`, import.meta.url).href;
  const options = { dataDir: join(folder, 'data'), port: 0, logLevel: 'error' };
  const server = launchChild('server-process.ts', options, { nodeOptions: ['--import', hooks] });
  await server.whenReady;
  loaded = readFileSync(list, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(ROOT, fileURLToPath(url)));
  await server.kill('SIGTERM');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a server that nobody uses has not loaded', () => {
  test.each(LATER)('%s, which comes with %s', (path) => {
    expect(isThere(path)).toBe(true);
    expect(loaded.filter((file) => file.startsWith(path))).toEqual([]);
  });
});

test('the list of what a server has loaded has its parts and those of packages', () => {
  expect(loaded).toContain('server/src/main.ts');
  expect(loaded).toContain('packages/workflow/src/run/decide.ts');
  expect(loaded).toContain('node_modules/fastify/fastify.js');
});

test('what a start loads takes the memory that there is for it', () => {
  const bytes = loaded.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0);
  expect(bytes).toBeLessThan(BYTES_MAX);
});

/** A row about nothing says nothing. */
function isThere(path: string): boolean {
  const base = path.lastIndexOf('/') + 1;
  const names = readdirSync(join(ROOT, path.slice(0, base)));
  return names.some((name) => name.startsWith(path.slice(base)));
}
