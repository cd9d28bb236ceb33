/** Data that earlier versions wrote, with this one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { publishedEvent, type RunEvent } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseOf } from '../../../server/src/runtime/data-directory.ts';
import { SERVER_VERSION } from '../../../server/src/runtime/version.ts';
import { type Api, detailsOf, itemsOf, type Loose } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type ObservedRun, observeRun } from '../../support/observed-run.ts';
import { ended, logOf, statusOf } from '../../support/runs.ts';
import { Workbench } from '../../support/workbench.ts';
import { runCli } from '../cli-process.ts';
import { type MadeData, makeData, SEEN_FILE, WORDS } from './make-data.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
  if (process.env.TUTTI_UPGRADE_DATA === '1') await makeData(bench, SERVER_VERSION);
});
afterAll(() => bench.close());

const FOLDER = import.meta.dirname;
const versions = readdirSync(FOLDER).flatMap(
  (name) => /^data-(.*)\.tar\.gz$/.exec(name)?.[1] ?? [],
);

/** Old runs stay, however long ago that version wrote them. */
const KEEPING = { config: { retention: { minutes: 160_000_000, historyMinutes: 160_000_000 } } };

interface EarlierData {
  /** A copy of its own. */
  readonly dataDir: string;
  readonly seen: MadeData;
}

/** A data directory as that version left it. */
function dataOf(version: string): EarlierData {
  const dataDir = bench.path(`data-${version}`);
  mkdirSync(dataDir, { mode: 0o700 });
  execFileSync('tar', ['-xzf', join(FOLDER, `data-${version}.tar.gz`), '-C', dataDir]);
  const file = join(dataDir, SEEN_FILE);
  const seen: MadeData = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return { dataDir, seen };
}

/** The old version published events that the schemas of plugins refuse. The new one shows them in a valid form. */
const asPublished = (observed: ObservedRun): ObservedRun => ({
  ...observed,
  // Events of runs stay events of runs.
  events: observed.events.map(publishedEvent) as RunEvent[],
  testCases: (observed.testCases as readonly OldTestCase[]).map(withoutHistory),
});

interface OldTestCase {
  readonly test: { readonly outcome: string };
}

/** Nothing was known of tests when that version stored them. */
const withoutHistory = (manifest: OldTestCase): unknown => ({
  ...manifest,
  test: {
    ...manifest.test,
    history: { state: 'new', flakeRate: 0, failures: 0, executions: 0 },
    ...{ retried: false, flaked: false },
    newlyFailed: ['failure', 'error'].includes(manifest.test.outcome),
    quarantined: false,
  },
});

const tutti = (...args: readonly string[]) => runCli(args, { cwd: bench.folder });

test('there is data of the first version', () => {
  expect(versions).toContain('0.1.0');
});

describe.each(versions)('data of %s', (version) => {
  test('gets the summaries that lists show, which are those of new runs', async () => {
    const { dataDir, seen } = dataOf(version);
    const server = await bench.server({ dataDir, ...KEEPING });
    const summaries = (api: Api) =>
      eventually('the summaries of all runs', async () => {
        const { items, warnings } = detailsOf(await api.call('GET', '/runs'));
        return warnings === undefined ? (items as readonly Loose[]) : null;
      });
    const statuses = (await summaries(server)).map(({ workflow_id: id, status }) => [id, status]);
    for (const [id, { status }] of Object.entries(seen.over)) {
      expect(statuses).toContainEqual([id, status]);
    }
    await bench.agent(server, { tags: ['linux', 'later'] });
    for (const id of Object.values(seen.live)) expect(await ended(server, id)).toBe('DONE');
    const before = await summaries(server);
    for (const { jobs, started } of before) {
      expect(jobs).toMatchObject({ waiting: 0, running: 0 });
      expect(started).not.toBeNull();
    }
    await server.child.kill('SIGTERM');
    const db = new DatabaseSync(databaseOf(dataDir));
    db.exec('DELETE FROM run_summaries');
    db.close();
    const again = await bench.server({ dataDir, ...KEEPING });
    expect(await summaries(again)).toEqual(before);
  });

  test('is all there, and runs that were not over go on', async () => {
    const { dataDir, seen } = dataOf(version);
    const { over, live, subscription } = seen;
    const server = await bench.server({ dataDir, ...KEEPING });
    const known = itemsOf(await server.call('GET', '/workflows'));
    expect([...known].sort()).toEqual([...Object.keys(over), ...Object.values(live)].sort());
    expect(Object.keys(over)).toHaveLength(3);
    for (const [id, { status, ...observed }] of Object.entries(over)) {
      expect(await statusOf(server, id)).toBe(status);
      expect(await observeRun(server, id)).toEqual(asPublished(observed));
    }
    const subscriptions = await server.call('GET', '/subscriptions');
    expect(subscriptions.text).toContain(subscription);
    await bench.agent(server, { tags: ['linux', 'later'] });
    for (const id of Object.values(live)) expect(await ended(server, id)).toBe('DONE');
    expect(await logOf(server, live.half)).toContain(`of the first job: ${WORDS}`);
    await server.child.kill('SIGTERM');
    expect((await tutti('doctor', '--data-dir', server.dataDir)).stdout).toContain('All is well.');
  });

  test('can be backed up before an upgrade, and restored after it', async () => {
    const { dataDir, seen } = dataOf(version);
    const { over, live } = seen;
    const [backup, restored] = [bench.path('backup'), bench.path('restored')];
    const made = await tutti('backup', '--data-dir', dataDir, '--output', backup);
    expect([made.stderr, made.code]).toEqual(['', 0]);
    await tutti('restore', backup, '--data-dir', restored);
    const server = await bench.server({ dataDir: restored, ...KEEPING });
    for (const [id, { status: _, ...observed }] of Object.entries(over)) {
      expect(await observeRun(server, id)).toEqual(asPublished(observed));
    }
    expect(await statusOf(server, live.waiting)).toBe('PENDING');
  });

  test('is neither damaged nor changed by the doctor', async () => {
    const { dataDir } = dataOf(version);
    const { stdout } = await tutti('doctor', '--data-dir', dataDir);
    expect(stdout).not.toContain('WRONG   database');
    expect(stdout).not.toContain('WRONG   runs');
    expect((await tutti('doctor', '--data-dir', dataDir, '--repair')).code).toBe(0);
  });
});

/** All files but those that SQLite itself makes while a database is open. */
function contentOf(dataDir: string): ReadonlyMap<string, string> {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  const kept = paths.filter((path) => !/\.db-(?:wal|shm)$/.test(path)).sort();
  return new Map(kept.map((path) => [path, readFileSync(path, 'base64')]));
}

test('data of a newer version is refused, with what to do, and nothing of it is changed', async () => {
  const { dataDir } = dataOf('0.1.0');
  const file = join(dataDir, 'store', 'tutti.db');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const before = contentOf(dataDir);
  const { code, stdout, stderr } = await tutti('server', '--port', '0', '--data-dir', dataDir);
  expect(stderr).toMatch(
    /The database .* was written by a newer version \(its schema is 99, this version knows \d+\)\. /,
  );
  expect(stderr).toContain('Start the newer version again, or restore a copy made before it ran.');
  expect(stdout).not.toContain('ready');
  expect(code).toBe(2);
  const after = contentOf(dataDir);
  expect([...after.keys()]).toEqual([...before.keys()]);
  expect(after).toEqual(before);
});
