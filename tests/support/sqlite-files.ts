/** Files of the end-to-end suite that are about SQLite files themselves, with the reasons. They run on no other store. */
export const SQLITE_FILES: Readonly<Record<string, string>> = {
  'tests/e2e/backup.test.ts': 'PostgreSQL has backups of its own, and "tutti backup" refuses',
  'tests/e2e/doctor.test.ts': 'it damages the database file, and repairs it',
  'tests/e2e/cli-doctor.test.ts': 'it looks at the database file of a data directory',
  'tests/e2e/full-disk.test.ts': 'it fills the disk of the data directory',
  'tests/e2e/store-copy.test.ts': 'its servers begin with SQLite',
  'tests/e2e/test-ledger.test.ts': 'it reads the database file beside the server',
  'tests/e2e/upgrade/upgrade.test.ts': 'data of earlier versions are SQLite files',
};

/** Files that run on PostgreSQL in each `npm test`: they use every part of the store. */
export const STORE_FILES: readonly string[] = [
  'tests/e2e/main-path.test.ts',
  'tests/e2e/retention.test.ts',
  'tests/e2e/run-list.test.ts',
  'tests/e2e/test-history.test.ts',
];
