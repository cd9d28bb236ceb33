/** `tutti doctor` on the data of a real server: the problems that it finds, its messages and its repairs. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, oneJob, sh, start, workersEnded } from '../support/runs.ts';
import { SAMPLE } from '../support/sample-run.ts';
import { Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

let bench: Workbench;
/** Data of a stopped server; tests work on copies of it. */
let data = '';
/** The runs in it: one that is over, one that masks a text, one that waits. */
let runs = { done: '', masked: '', waiting: '' };

const SUBSCRIPTION = {
  apiVersion: 'opentestfactory.org/v1',
  kind: 'Subscription',
  metadata: { name: 'watcher' },
  spec: { selector: { matchKind: 'Workflow' }, subscriber: { endpoint: 'http://127.0.0.1:1/' } },
};

beforeAll(async () => {
  bench = await Workbench.open();
  const server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'shell'] });
  expect((await server.call('POST', '/subscriptions', { body: SUBSCRIPTION })).code).toBe(201);
  const mask = sh(
    'echo "::add-mask::hidden"; echo it is hidden; echo text > note; echo "::attach::$PWD/note"',
  );
  runs = {
    done: await start(server, SAMPLE),
    masked: await start(
      server,
      oneJob('masked', [sh('seq -f "much output %.0f" 500'), mask, sh('echo hidden again')]),
    ),
    waiting: await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' })),
  };
  for (const id of [runs.done, runs.masked]) {
    await ended(server, id);
    await workersEnded(server, id);
  }
  const beside = await doctor(server.dataDir);
  expect(beside.text).toContain('All is well.');
  expect(beside.text).toContain(`Data of ${server.dataDir}, whose server runs`);
  await server.child.kill('SIGTERM');
  data = server.dataDir;
});
afterAll(() => bench.close());

interface DoctorReport {
  readonly text: string;
  readonly code: number | string;
}

async function doctor(dataDir: string, ...args: readonly string[]): Promise<DoctorReport> {
  const { code, stdout, stderr } = await runCli(['doctor', '--data-dir', dataDir, ...args], {
    cwd: bench.folder,
  });
  return { code, text: stdout + stderr };
}

function copyOfData(): string {
  const copy = bench.path('copy');
  cpSync(data, copy, { recursive: true });
  // Copied directories have the rights of new ones.
  for (const path of ['', 'store', 'blobs', 'keys']) chmodSync(join(copy, path), 0o700);
  return copy;
}

function inDatabase<Result>(dataDir: string, work: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(join(dataDir, 'store', 'tutti.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** All rows of all tables, in no order: numbers of rows that nobody refers to may be other ones. */
const dump = (dataDir: string): unknown =>
  inDatabase(dataDir, (db) => {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables.map(({ name }) => {
      const rows = db.prepare(`SELECT * FROM ${name}`).all();
      return [
        name,
        rows.map((row) => JSON.stringify(name === 'jobs' ? { ...row, id: 0 } : row)).sort(),
      ];
    });
  });

const run = (id: string) => `(SELECT id FROM workflows WHERE workflow_id = '${id}')`;
const rowsOf = (id: string, column = 'id') =>
  `${column} BETWEEN ${run(id)} * 16777216 AND (${run(id)} + 1) * 16777216 - 1`;

test('data of a server that was stopped is well, and says how much there is', async () => {
  const { code, text } = await doctor(data);
  expect(text).toMatch(/^ {2}ok {6}database {2}schema 16, bytes \d+ \(.*KiB\)$/m);
  expect(text).toMatch(/^ {2}ok {6}runs {6}runs 3, live 1, events \d+$/m);
  expect(text).toMatch(/^ {2}ok {6}files {5}files 3, bytes \d+/m);
  expect(text).toMatch(/^ {2}ok {6}records {3}records \d+, subscriptions 1, agents 1$/m);
  expect(text).toContain('All is well.\n');
  expect(code).toBe(0);
});

test('the data of a server that was killed in the middle of runs is well', async () => {
  const server = await bench.server({ dataDir: copyOfData() });
  for (const name of ['a', 'b']) await bench.agent(server, { tags: ['linux', 'shell'], name });
  const busy = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      start(server, index % 3 === 0 ? SAMPLE : oneJob('busy', [sh('echo 1'), sh('echo 2')])),
    ),
  );
  await ended(server, busy[3] ?? '');
  await server.child.kill('SIGKILL');
  const { code, text } = await doctor(server.dataDir);
  expect(text).toContain('All is well.\n');
  expect(code).toBe(0);
});

/** Damages to data, the messages about them, and whether a repair restores the data. */
const DAMAGES: readonly {
  readonly what: string;
  readonly damage: (dataDir: string) => void;
  readonly says: () => string;
  readonly repairs: string;
}[] = [
  {
    what: 'the row of a run says something else',
    damage: (at) =>
      inDatabase(at, (db) =>
        db.exec(`UPDATE workflows SET status = 'RUNNING', live = 1 WHERE id = ${run(runs.done)}`),
      ),
    says: () => `Run ${runs.done}: status is RUNNING, and DONE by its events; live is 1, and 0 by`,
    repairs: 'makes what is kept of it anew of its events',
  },
  {
    what: 'test cases are missing',
    damage: (at) =>
      inDatabase(at, (db) => db.exec(`DELETE FROM test_cases WHERE ${rowsOf(runs.done)}`)),
    says: () =>
      `Run ${runs.done}: it has 0 test cases, and 3 by its events; it counts 3 test cases`,
    repairs: 'makes what is kept of it anew of its events',
  },
  {
    what: 'a part of a log is missing',
    damage: (at) =>
      inDatabase(at, (db) => db.exec(`DELETE FROM log_pages WHERE ${rowsOf(runs.masked)}`)),
    says: () => `Run ${runs.masked}: its log has `,
    repairs: 'makes what is kept of it anew of its events',
  },
  {
    what: 'a log knows no event that has output of it',
    damage: (at) => inDatabase(at, (db) => db.exec('DELETE FROM log_parts')),
    says: () => `Run ${runs.masked}: its log has `,
    repairs: 'makes what is kept of it anew of its events',
  },
  {
    what: 'attachments and jobs are missing',
    damage: (at) => inDatabase(at, (db) => db.exec('DELETE FROM attachments; DELETE FROM jobs')),
    says: () => `Run ${runs.done}: it has 0 ended jobs, and 2 by its events; it has 0 attachments,`,
    repairs: 'makes what is kept of it anew of its events',
  },
  {
    what: 'numbers would be given twice',
    damage: (at) =>
      inDatabase(at, (db) =>
        db.exec("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'workflows'"),
      ),
    says: () => 'The table workflows has number 3, and the last one that was given is 1.',
    repairs: 'counts on from the highest number',
  },
  {
    what: 'everybody may read the key and the store',
    damage: (at) => {
      chmodSync(join(at, 'keys', 'signing.pem'), 0o644);
      chmodSync(join(at, 'store', 'tutti.db'), 0o664);
    },
    says: () => 'keys/signing.pem has the mode 0644: others than its owner may use it.',
    repairs: 'gives it the mode 0600',
  },
];

describe.each(DAMAGES)('where $what', ({ damage, says, repairs }) => {
  test('it is told, and repaired as it was', async () => {
    const copy = copyOfData();
    const before = dump(copy);
    damage(copy);
    const found = await doctor(copy);
    expect(found.text).toContain(says());
    expect(found.text).toContain(`--repair ${repairs}.`);
    expect(found.code).toBe(1);
    const repaired = await doctor(copy, '--repair');
    expect(repaired.text).toContain(`Repaired: ${repairs}.`);
    expect(repaired.text).toMatch(/\d+ findings?, all repaired\.\n$/);
    expect(repaired.code).toBe(0);
    const isOfStore = !repairs.includes('mode');
    expect(repaired.text.includes('What was there before the repair: ')).toBe(isOfStore);
    const after = await doctor(copy);
    expect(after.text).toContain('All is well.');
    expect(dump(copy)).toEqual(before);
    expect(statSync(join(copy, 'keys', 'signing.pem')).mode & 0o777).toBe(0o600);
  });
});

test('what a repair of the store changes is kept beside it', async () => {
  const copy = copyOfData();
  inDatabase(copy, (db) => db.exec(`DELETE FROM log_pages WHERE ${rowsOf(runs.done)}`));
  const { text } = await doctor(copy, '--repair');
  const [, kept = ''] = /What was there before the repair: (.*)/.exec(text) ?? [];
  expect(readdirSync(copy)).toContain(kept.slice(copy.length + 1));
  const pages = inDatabase(
    kept,
    (db) =>
      db.prepare(`SELECT count(*) AS count FROM log_pages WHERE ${rowsOf(runs.done)}`).get()?.count,
  );
  expect(pages).toBe(0);
});

test('files of no run are moved aside', async () => {
  const copy = copyOfData();
  const stray = join(copy, 'blobs', '11111111-1111-4111-8111-111111111111');
  mkdirSync(stray);
  writeFileSync(join(stray, 'file'), 'wanted?');
  const found = await doctor(copy);
  expect(found.text).toContain(
    'The folder blobs/11111111-1111-4111-8111-111111111111 has files of no run (1, of 7 bytes).',
  );
  expect(found.code).toBe(1);
  const { text } = await doctor(copy, '--repair');
  const [, kept = ''] = /What was there before the repair: (.*)/.exec(text) ?? [];
  expect(existsSync(stray)).toBe(false);
  const moved = join(kept, 'blobs', '11111111-1111-4111-8111-111111111111', 'file');
  expect(readFileSync(moved, 'utf8')).toBe('wanted?');
});

test('a missing file of a run is named, with where it could come from', async () => {
  const copy = copyOfData();
  rmSync(join(copy, 'blobs', runs.masked), { recursive: true });
  const { code, text } = await doctor(copy, '--repair');
  expect(text).toMatch(
    new RegExp(
      `The file (.*) of run ${runs.masked} is missing\\.\n *What to do: take blobs/${runs.masked}/\\1 out of a backup, if one has it\\.`,
    ),
  );
  expect(code).toBe(1);
});

test('many missing files are told in number', async () => {
  const server = await bench.server({ dataDir: copyOfData() });
  await bench.agent(server, { tags: ['linux', 'shell'], name: 'many' });
  const attach = 'for i in $(seq 123); do echo $i > f$i; echo "::attach::$PWD/f$i"; done';
  const id = await start(server, oneJob('many', [sh(attach)]));
  await ended(server, id);
  await workersEnded(server, id);
  await server.child.kill('SIGTERM');
  rmSync(join(server.dataDir, 'blobs', id), { recursive: true });
  const { code, text } = await doctor(server.dataDir);
  expect(text.match(/ is missing\.$/gm)).toHaveLength(100);
  expect(text).toContain('         - and 23 more\n');
  expect(text).toContain('123 findings to see to.\n');
  expect(code).toBe(1);
});

test('rows of runs that are not there leave after the next start', async () => {
  const copy = copyOfData();
  inDatabase(copy, (db) => db.exec(`DELETE FROM workflows WHERE id = ${run(runs.done)}`));
  const found = await doctor(copy);
  expect(found.text).toMatch(
    /Rows of run 1, which is not there, are in events, log_pages, .*test_cases, .*jobs/,
  );
  expect((await doctor(copy, '--repair')).code).toBe(0);
  const server = await bench.server({ dataDir: copy });
  await server.child.kill('SIGTERM');
  const { text } = await doctor(copy);
  expect(text).toContain('ok      runs      runs 2, live 1,');
  expect(text).toContain('All is well.');
});

test('events that cannot be read are told, and nothing is made of them', async () => {
  const copy = copyOfData();
  inDatabase(copy, (db) =>
    db.exec(`DELETE FROM events WHERE id = ${run(runs.done)} * 16777216 + 3;
      UPDATE events SET json = '{' WHERE id = ${run(runs.masked)} * 16777216 + 2`),
  );
  const before = dump(copy);
  const { code, text } = await doctor(copy, '--repair');
  expect(text).toContain(`Run ${runs.done} cannot be read: event 3 is missing.`);
  expect(text).toContain(`Run ${runs.masked} cannot be read: event 2 is no JSON.`);
  expect(text).toContain('Restore a backup that has it (tutti docs operate/backup).');
  expect(code).toBe(1);
  expect(dump(copy)).toEqual(before);
});

test('records that the server could not read are taken out, subscriptions that it passes over are told', async () => {
  const copy = copyOfData();
  inDatabase(copy, (db) =>
    db.exec(`UPDATE documents SET json = '{' WHERE collection = 'agents';
      UPDATE documents SET json = '{}' WHERE collection = 'subscriptions'`),
  );
  const { text } = await doctor(copy, '--repair');
  expect(text).toMatch(/The record .* of agents is no JSON; the server cannot start with it\./);
  expect(text).toMatch(/Subscription .* cannot be used: /);
  expect(text).toContain('1 finding to see to.\n');
  const server = await bench.server({ dataDir: copy });
  await server.child.kill('SIGTERM');
});

test.each([
  ['its pages', (bytes: Buffer) => bytes.fill(0xff, 8_192, 60_000)],
  ['its first page', (bytes: Buffer) => bytes.fill(0x00, 0, 100)],
])('a database whose damage is in %s is told, with what to do', async (_, damage) => {
  const copy = copyOfData();
  const file = join(copy, 'store', 'tutti.db');
  writeFileSync(file, damage(readFileSync(file)));
  const { code, text } = await doctor(copy);
  expect(text).toContain('WRONG   database');
  expect(text).toMatch(/The database is damaged: .*\.$/m);
  expect(text).toContain(
    'What to do: stop the server and restore a backup (tutti docs operate/backup).',
  );
  expect(text).toMatch(/^ {2}ok {6}keys$/m);
  expect(text).not.toMatch(/ok {6}(?:database|runs|rows)/);
  expect(code).toBe(1);
});

test('an empty store is told, and is not backed up', async () => {
  const copy = copyOfData();
  writeFileSync(join(copy, 'store', 'tutti.db'), '');
  const { code, text } = await doctor(copy);
  expect(text).toContain(`WRONG   database\n         - The store of ${copy} is empty.\n`);
  expect(text).toContain(
    'What to do: if there were runs, restore a backup (tutti docs operate/backup);',
  );
  expect(code).toBe(1);
  const backup = await runCli(['backup', '--data-dir', copy], { cwd: bench.folder });
  expect([backup.code, backup.stderr.split('\n')[0]]).toEqual([
    2,
    `tutti: The store of ${copy} is empty.`,
  ]);
});

test('a store of a newer version is told, and nothing is touched', async () => {
  const copy = copyOfData();
  inDatabase(copy, (db) => db.exec('PRAGMA user_version = 99'));
  const { code, text } = await doctor(copy, '--repair');
  expect(text).toMatch(
    /- The database .* was written by a newer version \(its schema is 99, this version knows \d+\)\./,
  );
  expect(text).not.toContain('damaged');
  expect(code).toBe(1);
});

test('nothing is repaired beside a server, and nothing is checked where there is nothing', async () => {
  const server = await bench.server({ dataDir: copyOfData() });
  expect(await doctor(server.dataDir, '--repair')).toEqual({
    code: 2,
    text:
      `tutti: A server uses ${server.dataDir}, so nothing can be repaired.\n` +
      'What to do: stop that server first, or leave out --repair to look only.\n',
  });
  expect(await doctor(join(bench.folder, 'nowhere'))).toEqual({
    code: 2,
    text:
      `tutti: There is no data of a server in ${join(bench.folder, 'nowhere')}.\n` +
      'What to do: name its data directory with --data-dir or TUTTI_DATA_DIR.\n',
  });
});

test('programs get the same as JSON', async () => {
  const copy = copyOfData();
  chmodSync(join(copy, 'admin.token'), 0o644);
  const { code, text } = await doctor(copy, '-o', 'json', '--runs', '1');
  const report = JSON.parse(text);
  expect(report).toMatchObject({ dataDir: copy, isServerRunning: false, kept: null });
  expect(report.checks.map(({ name }: { readonly name: string }) => name)).toEqual([
    'database',
    'log',
    'runs',
    'rows',
    'files',
    'records',
    'keys',
  ]);
  expect(report.checks[2].facts.runs).toBe(1);
  expect(report.checks[6].findings).toEqual([
    {
      what: 'admin.token has the mode 0644: others than its owner may use it.',
      repair: 'gives it the mode 0600',
      advice: null,
      isRepaired: false,
    },
  ]);
  expect(code).toBe(1);
});
