/** The commands about the data of a server: they need no server that runs. */
import type { Command } from 'commander';
import type { BackupOptions } from './commands/backup.ts';
import type { RestoreOptions } from './commands/restore.ts';
import type { Io } from './io.ts';

type End = (action: Promise<number>) => Promise<void>;

const DATA_DIR = 'data directory of the server (or TUTTI_DATA_DIR; default ./.tutti)';

export function addRecoveryCommands(program: Command, end: End, io: Io): void {
  program
    .command('backup')
    .description('Copy the data of a server, which may be running.')
    .option('--data-dir <dir>', DATA_DIR)
    .option(
      '--output <path>',
      'directory to make, or file if it ends with .tar, .tar.gz or .tgz; tutti-backup-TIME if absent',
    )
    .option(
      '--without-keys',
      'leave out the key that signs tokens, and the token of the administrator',
    )
    .addHelpText('after', BACKUP_HELP)
    .action(async (options: BackupOptions) => {
      const { backUpData } = await import('./commands/backup.ts');
      await end(backUpData(options, io));
    });
  program
    .command('restore')
    .description('Make a data directory of a backup.')
    .argument('<backup>', 'directory or file that "tutti backup" has made')
    .option('--data-dir <dir>', DATA_DIR)
    .option('--force', 'move aside what is in the data directory')
    .addHelpText('after', RESTORE_HELP)
    .action(async (backup: string, options: RestoreOptions) => {
      const { restoreData } = await import('./commands/restore.ts');
      await end(restoreData(backup, options, io));
    });
}

const BACKUP_HELP = `
A backup has the secrets of all runs that are kept. Documentation: docs/backup.md.`;

const RESTORE_HELP = `
With any other exit code than 0, the data directory is as it was. Documentation: docs/backup.md.`;
