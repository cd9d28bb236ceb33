import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../runtime/clock.ts';
import { blobsOf, databaseOf } from '../runtime/data-directory.ts';
import { createLogger } from '../runtime/logger.ts';
import { forgetOldRuns } from '../services/observer/retention.ts';
import { attachmentId, timestamp, workflowId } from '../store/conformance/samples.ts';
import { filesLockOf, takeLock } from '../store/sqlite/lock-file.ts';
import { makeBackup } from './make-backup.ts';
import { RecoveryRefusal } from './refusal.ts';
import { restoreBackup } from './restore-backup.ts';
import { addRun, contentOf, createSampleData, openData, temporaryFolder } from './testing.ts';

const FACTS = { version: '1.2.3', createdAt: timestamp(9), nowMs: 9 * 60_000 };
const FORMS = ['backup', 'backup.tar', 'backup.tar.gz', 'backup.tgz'];

const NEVER = new AbortController().signal;

const backUp = (dataDir: string, output: string, withKeys = true, signal = NEVER) =>
  makeBackup({ ...FACTS, dataDir, output, withKeys, signal });
const restore = (backup: string, dataDir: string, force = false) =>
  restoreBackup({ backup, dataDir, force, suffix: 'T', signal: NEVER });

/** A request to stop that comes when somebody has looked for one so often. */
function stopAfterLooks(count: number): AbortSignal {
  const controller = new AbortController();
  let looks = 0;
  const { signal } = controller;
  const look = signal.throwIfAborted.bind(signal);
  signal.throwIfAborted = () => {
    looks += 1;
    if (looks > count) controller.abort(new Error('stopped'));
    look();
  };
  return signal;
}

/** As any data directory that is made, also that of a restore is one that Git passes over. */
const IGNORED = ['.gitignore', '*\n'] as const;

/** Paths of all files below a folder with their content, but for those of databases that are open or were. */
function filesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  const kept = paths.filter((path) => !/store\/tutti\.db/.test(path)).sort();
  return new Map(kept.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

async function runsOf(dataDir: string): Promise<readonly string[]> {
  const { store } = await openData(dataDir);
  const rows = await store.workflows();
  const shown: string[] = [];
  for (const { workflowId: id, status } of rows) {
    const log = await store.log(id, 0, 100);
    shown.push(`${id} ${status} ${Buffer.from(log?.bytes ?? []).toString()}`);
  }
  await store.close();
  return shown;
}

describe.each(FORMS)('as %s', (name) => {
  test('the restored data is what was there', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const before = filesBelow(dataDir);
    const runs = await runsOf(dataDir);
    const report = await backUp(dataDir, join(folder, name));
    expect(report).toMatchObject({ runs: 3, liveRuns: 1, runFiles: 2, hasKeys: true });
    const { manifest, aside } = await restore(join(folder, name), join(folder, 'again'));
    expect(manifest).toMatchObject({
      version: '1.2.3',
      createdAt: timestamp(9),
      runs: 3,
      liveRuns: 1,
    });
    expect(aside).toBe(null);
    const again = filesBelow(join(folder, 'again'));
    expect(again).toEqual(new Map([...before, IGNORED]));
    expect(before.get(`blobs/${workflowId(2)}/${attachmentId(2)}`)).toBe(contentOf(2));
    expect(await runsOf(join(folder, 'again'))).toEqual(runs);
  });

  test('only its owner may read it, and what is restored of it', async () => {
    const folder = temporaryFolder();
    await backUp(await createSampleData(folder), join(folder, name));
    await restore(join(folder, name), join(folder, 'again'));
    for (const place of [name, 'again']) {
      const found = readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => path.startsWith(join(folder, place)));
      expect(found).not.toEqual([]);
      for (const path of found) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    }
  });

  test('keys and tokens are not in one without keys', async () => {
    const folder = temporaryFolder();
    const report = await backUp(await createSampleData(folder), join(folder, name), false);
    expect(report.hasKeys).toBe(false);
    const { manifest } = await restore(join(folder, name), join(folder, 'again'));
    expect(manifest.hasKeys).toBe(false);
    expect(readdirSync(join(folder, 'again')).sort()).toEqual([
      '.gitignore',
      'blobs',
      'providers',
      'store',
    ]);
  });

  test('an output that is there is left alone', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    writeFileSync(join(folder, name), 'mine');
    await expect(backUp(dataDir, join(folder, name))).rejects.toThrow(
      `${join(folder, name)} exists already.`,
    );
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
    expect(readdirSync(folder).sort()).toEqual([name, 'data'].sort());
  });

  test('one that is asked to stop leaves nothing, and neither does its restore', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const output = join(folder, name);
    // In the middle of the store and of the files, wherever that is.
    const stops = [0, 1, 3, 6].map(stopAfterLooks);
    for (const signal of stops) {
      await expect(backUp(dataDir, output, true, signal)).rejects.toThrow('stopped');
      expect(readdirSync(folder)).toEqual(['data']);
    }
    await backUp(dataDir, output);
    const request = { backup: output, dataDir: join(folder, 'again'), force: false, suffix: 'T' };
    for (const looks of [0, 2, 5]) {
      const restoring = restoreBackup({ ...request, signal: stopAfterLooks(looks) });
      await expect(restoring).rejects.toThrow('stopped');
      expect(readdirSync(folder).sort()).toEqual([name, 'data'].sort());
    }
  });

  test.each<[what: string, damage: (file: string) => void]>([
    // Not in the first page, which says what the file is.
    ['damaged', (file) => writeFileSync(file, readFileSync(file).fill(0xff, 4_096, 20_000))],
    ['cut off', (file) => truncateSync(file, 6_000)],
    ['no database', (file) => writeFileSync(file, 'x'.repeat(10_000))],
  ])('a database that is %s is not backed up, and nothing is left', async (_, damage) => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    damage(databaseOf(dataDir));
    const backingUp = backUp(dataDir, join(folder, name));
    await expect(backingUp).rejects.toThrow(
      /^The database of .* is damaged, so no backup of it was made: .|^The file .* is not a database\.$/,
    );
    await expect(backingUp).rejects.toThrow(RecoveryRefusal);
    expect(readdirSync(folder)).toEqual(['data']);
  });
});

test('names longer than a tar head has room for are kept', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  const long = 'a'.repeat(180);
  writeFileSync(join(blobsOf(dataDir), workflowId(1), long), 'of a long name');
  await backUp(dataDir, join(folder, 'backup.tar'));
  await restore(join(folder, 'backup.tar'), join(folder, 'again'));
  const restored = join(blobsOf(join(folder, 'again')), workflowId(1), long);
  expect(readFileSync(restored, 'utf8')).toBe('of a long name');
});

test('files without a run, and those on their way, are not in a backup', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  for (const scope of ['~incoming', 'insight-x', workflowId(8)]) {
    mkdirSync(join(blobsOf(dataDir), scope), { recursive: true });
    writeFileSync(join(blobsOf(dataDir), scope, 'file'), 'of nobody');
  }
  await backUp(dataDir, join(folder, 'backup'));
  expect(readdirSync(join(folder, 'backup', 'blobs'))).toEqual([workflowId(1), workflowId(2)]);
});

test.each(['backup', 'backup.tar', 'blobs/backup', 'providers/new/backup.tar.gz'])(
  'a backup is not made within the data that it is of (%s)',
  async (name) => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const before = filesBelow(dataDir);
    symlinkSync(dataDir, join(folder, 'link'));
    for (const place of [dataDir, join(folder, 'link')]) {
      await expect(backUp(dataDir, join(place, name))).rejects.toThrow(
        `${join(place, name)} is within the data directory, so it would be lost with it.`,
      );
    }
    expect(filesBelow(dataDir)).toEqual(before);
    expect(existsSync(join(dataDir, 'providers', 'new'))).toBe(false);
  },
);

test.each(FORMS)(
  "what a killed process of the same number has left is in nobody's way (%s)",
  async (name) => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const output = join(folder, name);
    // In containers, the number is the same each time.
    mkdirSync(join(`${output}.unfinished-${process.pid}`, 'store'), { recursive: true });
    writeFileSync(join(`${output}.unfinished-${process.pid}`, 'store', 'tutti.db'), 'half of it');
    writeFileSync(`${output}.unfinished-${process.pid}.db`, 'half of it');
    await backUp(dataDir, output);
    const again = join(folder, 'again');
    mkdirSync(join(`${again}.restoring-${process.pid}`, 'keys'), { recursive: true });
    writeFileSync(join(`${again}.restoring-${process.pid}`, 'keys', 'signing.pem'), 'half of it');
    writeFileSync(join(`${again}.restoring-${process.pid}`, 'keys', 'other.pem'), 'half of it');
    await restore(output, again);
    expect(filesBelow(again)).toEqual(new Map([...filesBelow(dataDir), IGNORED]));
    expect(readdirSync(folder).sort()).toEqual(['again', 'data', name].sort());
  },
);

test('an archive that another program made of an unpacked backup is restored', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  await backUp(dataDir, join(folder, 'backup'));
  for (const form of ['gnu', 'posix', 'ustar']) {
    const archive = join(folder, `${form}.tar.gz`);
    execFileSync('tar', ['-czf', archive, `--format=${form}`, '-C', join(folder, 'backup'), '.']);
    await restore(archive, join(folder, form));
    expect(filesBelow(join(folder, form))).toEqual(new Map([...filesBelow(dataDir), IGNORED]));
  }
});

test('files that a backup makes in the data directory belong to the owner of the data', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  const store = dirname(databaseOf(dataDir));
  // Administrators often make backups of another account's data.
  if (process.getuid?.() === 0) chownSync(store, 65_534, 65_534);
  await backUp(dataDir, join(folder, 'backup'));
  const ownerOf = (path: string) => [statSync(path).uid, statSync(path).gid];
  expect(ownerOf(filesLockOf(databaseOf(dataDir)))).toEqual(ownerOf(store));
});

test('data that cannot be looked at is told as such, and not as none', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  rmSync(join(dataDir, 'store'), { recursive: true });
  symlinkSync('store', join(dataDir, 'store'));
  await expect(backUp(dataDir, join(folder, 'backup'))).rejects.toThrow(/^ELOOP: .*tutti\.db/);
  rmSync(join(dataDir, 'store'));
  mkdirSync(databaseOf(dataDir), { recursive: true });
  await expect(backUp(dataDir, join(folder, 'backup'))).rejects.toThrow(
    `The database of ${dataDir} cannot be opened: disk I/O error.`,
  );
});

test('a directory without data is told as such', async () => {
  const folder = temporaryFolder();
  await expect(backUp(join(folder, 'none'), join(folder, 'backup'))).rejects.toThrow(
    `There is no data of a server in ${join(folder, 'none')}.`,
  );
  expect(readdirSync(folder)).toEqual([]);
});

describe('beside a server', () => {
  test('a backup that waits for another one can be asked to stop', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const lock = takeLock(filesLockOf(databaseOf(dataDir)), 0);
    onTestFinished(() => lock?.release());
    const stop = new AbortController();
    const making = backUp(dataDir, join(folder, 'backup'), true, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(making).rejects.toThrow('stopped');
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('a backup that waits for another one is made when that is over', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const lock = takeLock(filesLockOf(databaseOf(dataDir)), 0);
    const making = backUp(dataDir, join(folder, 'backup'));
    lock?.release();
    expect(await making).toMatchObject({ runs: 3 });
  });

  test('a backup has the moment at which it began, though runs come meanwhile', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const open = await openData(dataDir);
    for (let number = 1; number <= 20; number += 1) await addRun(open, number);
    const making = backUp(dataDir, join(folder, 'backup'));
    for (let number = 21; number <= 60; number += 1) await addRun(open, number);
    const { runs } = await making;
    await open.store.close();
    expect(runs).toBe(20);
    await restore(join(folder, 'backup'), join(folder, 'again'));
    expect(await runsOf(join(folder, 'again'))).toHaveLength(20);
  });

  test('old runs that leave meanwhile are whole in a backup, or not in it', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const open = await openData(dataDir);
    for (let number = 1; number <= 40; number += 1) await addRun(open, number);
    const retention = {
      ...open,
      clock: systemClock,
      logger: createLogger({ level: 'silent' }),
      lockFiles: () => takeLock(filesLockOf(databaseOf(dataDir)), 0),
      feed: { changes: { runsRemoved: () => undefined } },
      minutes: 1,
      runs: 1,
      historyMinutes: 1,
    };
    let isMade = false;
    const making = backUp(dataDir, join(folder, 'backup')).finally(() => {
      isMade = true;
    });
    while (!isMade) {
      await forgetOldRuns(retention);
      // It waits for nothing where it may remove nothing, and the backup is to get its turns.
      await setImmediate();
    }
    const { runs } = await making;
    expect(runs).toBe(40);
    for (let number = 1; number <= runs; number += 1) {
      const file = join(folder, 'backup', 'blobs', workflowId(number), attachmentId(number));
      expect(existsSync(file)).toBe(true);
    }
    await forgetOldRuns(retention);
    expect(await open.store.workflows()).toEqual([]);
    await open.store.close();
  });
});

describe('a restore', () => {
  test('refuses a directory with something in it, unless that may go aside', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    await backUp(dataDir, join(folder, 'backup'));
    writeFileSync(join(dataDir, 'admin.token'), 'of now');
    await expect(restore(join(folder, 'backup'), dataDir)).rejects.toThrow(
      `${dataDir} is not empty: it has admin.token.`,
    );
    expect(readFileSync(join(dataDir, 'admin.token'), 'utf8')).toBe('of now');
    const { aside } = await restore(join(folder, 'backup'), dataDir, true);
    expect(aside).toBe(`${dataDir}.before-restore-T`);
    expect(readFileSync(join(aside ?? '', 'admin.token'), 'utf8')).toBe('of now');
    expect(readFileSync(join(dataDir, 'admin.token'), 'utf8')).not.toBe('of now');
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data', 'data.before-restore-T']);
  });

  test('fills a disk of its own from within, and the store comes last', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    const before = filesBelow(dataDir);
    await backUp(dataDir, join(folder, 'backup.tar'));
    mkdirSync(join(dataDir, 'lost+found'));
    const request = {
      backup: join(folder, 'backup.tar'),
      dataDir,
      force: true,
      suffix: 'T',
      signal: NEVER,
    };
    const { aside } = await restoreBackup({ ...request, isOwnDisk: () => true });
    expect(aside).toBe(join(dataDir, 'before-restore-T'));
    expect(readdirSync(dataDir).sort()).toEqual([
      'admin.token',
      'before-restore-T',
      'blobs',
      'keys',
      'lost+found',
      'providers',
      'store',
    ]);
    expect(filesBelow(aside ?? '')).toEqual(before);
    expect(await runsOf(dataDir)).toHaveLength(3);
  });

  test('refuses the directory of a server that runs, also with force', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    await backUp(dataDir, join(folder, 'backup'));
    const { store } = await openData(dataDir);
    await expect(restore(join(folder, 'backup'), dataDir, true)).rejects.toThrow(
      `A server uses ${dataDir}.`,
    );
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
  });

  test('in the place of data, or of an empty directory, is of the owner of that', async () => {
    const folder = temporaryFolder();
    const dataDir = await createSampleData(folder);
    await backUp(dataDir, join(folder, 'backup'));
    mkdirSync(join(folder, 'empty'));
    for (const place of [dataDir, join(folder, 'empty')]) {
      if (process.getuid?.() === 0) chownSync(place, 65_534, 65_534);
      const { uid, gid } = statSync(place);
      await restore(join(folder, 'backup'), place, true);
      const found = readdirSync(place, { recursive: true, withFileTypes: true });
      const paths = [place, ...found.map((entry) => join(entry.parentPath, entry.name))];
      expect(paths.length).toBeGreaterThan(10);
      const others = paths.filter(
        (path) => statSync(path).uid !== uid || statSync(path).gid !== gid,
      );
      expect(others).toEqual([]);
    }
  });

  test('refuses what is no backup', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'text'), 'text'.repeat(1_000));
    mkdirSync(join(folder, 'empty'));
    const target = join(folder, 'again');
    const file = (name: string) => join(folder, name);
    await expect(restore(file('none'), target)).rejects.toThrow(
      `There is no backup ${file('none')}.`,
    );
    await expect(restore(file('text'), target)).rejects.toThrow(
      `${file('text')} is damaged: it is no archive of a backup.`,
    );
    await expect(restore(file('empty'), target)).rejects.toThrow(
      `${file('empty')} is damaged: it has no manifest.json.`,
    );
    expect(existsSync(target)).toBe(false);
  });
});

/** Damages to a backup that was stored for a long time. */
const DAMAGES: readonly [what: string, damage: (backup: string) => void, message: string][] = [
  [
    'a file of a run has another content',
    (backup) => writeFileSync(join(backup, 'blobs', workflowId(1), attachmentId(1)), 'other'),
    `blobs/${workflowId(1)}/${attachmentId(1)} is not as it was written`,
  ],
  [
    'a file of a run is missing',
    (backup) => rmSync(join(backup, 'blobs', workflowId(2)), { recursive: true }),
    `blobs/${workflowId(2)}/${attachmentId(2)} is missing`,
  ],
  [
    'the store is shorter',
    (backup) => truncateSync(join(backup, 'store', 'tutti.db'), 8_192),
    'store/tutti.db is not as it was written',
  ],
  [
    'the manifest is missing, as in one that was not finished',
    (backup) => rmSync(join(backup, 'manifest.json')),
    'it has no manifest.json',
  ],
  [
    'the manifest is text',
    (backup) => writeFileSync(join(backup, 'manifest.json'), 'text'),
    'its manifest.json cannot be read',
  ],
  [
    'the checksums are other ones',
    (backup) => writeFileSync(join(backup, 'checksums.txt'), ''),
    'its checksums.txt is not the one that was written',
  ],
];

test.each(DAMAGES)('a backup is refused where %s', async (_, damage, message) => {
  const folder = temporaryFolder();
  const backup = join(folder, 'backup');
  const dataDir = await createSampleData(folder);
  await backUp(dataDir, backup);
  const before = filesBelow(dataDir);
  damage(backup);
  await expect(restore(backup, dataDir, true)).rejects.toThrow(`${backup} is damaged: ${message}.`);
  expect(filesBelow(dataDir)).toEqual(before);
  expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
});

test.each(['backup.tar', 'backup.tar.gz'])('%s is refused wherever it breaks off', async (name) => {
  const folder = temporaryFolder();
  const whole = join(folder, name);
  await backUp(await createSampleData(folder), whole);
  const { size } = statSync(whole);
  for (const part of [0, 0.01, 0.3, 0.6, 0.99]) {
    const backup = join(folder, `cut-${name}`);
    copyFileSync(whole, backup);
    truncateSync(backup, Math.floor(size * part));
    const restoring = restore(backup, join(folder, 'again'));
    await expect(restoring).rejects.toThrow(/is damaged: it (?:breaks off|has no manifest)/);
    expect(existsSync(join(folder, 'again'))).toBe(false);
  }
});

test('a backup of a newer version is refused', async () => {
  const folder = temporaryFolder();
  const dataDir = await createSampleData(folder);
  const db = new DatabaseSync(databaseOf(dataDir));
  await backUp(dataDir, join(folder, 'backup'));
  const file = join(folder, 'backup', 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  for (const newer of [{ format: 2 }, { schema: 99 }]) {
    writeFileSync(file, JSON.stringify({ ...manifest, ...newer }));
    await expect(restore(join(folder, 'backup'), join(folder, 'again'))).rejects.toThrow(
      `${join(folder, 'backup')} was made by a newer version, 1.2.3.`,
    );
  }
  // The program that made the store is newer than this one.
  db.exec('PRAGMA user_version = 99');
  db.close();
  await expect(backUp(dataDir, join(folder, 'newer'))).rejects.toThrow(
    /was written by a newer version \(its schema is 99/,
  );
});

test('an archive cannot write beyond the data directory', async () => {
  const folder = temporaryFolder();
  const backup = join(folder, 'backup');
  await backUp(await createSampleData(folder), backup);
  const lines = readFileSync(join(backup, 'checksums.txt'), 'utf8').split('\n');
  writeFileSync(join(folder, 'outside'), 'x');
  renameSync(join(folder, 'outside'), join(backup, 'outside'));
  for (const path of ['../outside', 'blobs/../../outside', 'outside', 'blobs/x/..']) {
    writeFileSync(
      join(backup, 'checksums.txt'),
      [`${'0'.repeat(64)}  ${path}`, ...lines].join('\n'),
    );
    await expect(restore(backup, join(folder, 'again'))).rejects.toThrow(`${backup} is damaged: `);
  }
  expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
});
