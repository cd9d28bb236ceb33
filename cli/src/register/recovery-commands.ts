/** The commands about the data of a server: they need no server that runs. */
import { type Command, Option } from 'commander';
import type { BackupOptions } from '../commands/backup.ts';
import type { CopyStoreOptions } from '../commands/copy-store.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import type { RestoreOptions } from '../commands/restore.ts';
import { withConnection } from '../options/connection-options.ts';
import { readCount } from '../options/option-values.ts';
import type { OutputFormat } from '../options/output-format.ts';
import type { Act } from './act.ts';

const DATA_DIR = 'data directory of the server (or TUTTI_DATA_DIR; default ./.tutti)';

export function addRecoveryCommands(program: Command, act: Act): void {
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
      const { backUpData } = await import('../commands/backup.ts');
      await act((io) => backUpData(options, io));
    });
  program
    .command('restore')
    .description('Make a data directory of a backup.')
    .argument('<backup>', 'directory or file that "tutti backup" has made')
    .option('--data-dir <dir>', DATA_DIR)
    .option('--force', 'move aside what is in the data directory')
    .addHelpText('after', RESTORE_HELP)
    .action(async (backup: string, options: RestoreOptions) => {
      const { restoreData } = await import('../commands/restore.ts');
      await act((io) => restoreData(backup, options, io));
    });
  addStoreCommands(program, act);
  withConnection(
    program
      .command('doctor')
      .description(
        'Check this machine, the configuration, the server, the token and the data of a server, which may be running; repair what is safe to.',
      ),
  )
    .option(
      '--repair',
      'repair what is safe to; the server must be stopped, and nothing is removed',
    )
    .option(
      '--runs <number>',
      'how many runs are compared with their events: the newest; all if absent',
      readCount,
    )
    .option(
      '--store <url>',
      'database of the server, as its own option has it; the database of the data directory if absent',
    )
    .option(
      '--blobs <url>',
      'bucket of the server, as its own option has it; the bucket of the data directory if absent',
    )
    .addOption(
      new Option('-o, --output <format>', 'json: for programs')
        .choices(['table', 'json'] satisfies readonly OutputFormat[])
        .default('table' satisfies OutputFormat),
    )
    .addHelpText('after', DOCTOR_HELP)
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('../commands/doctor.ts');
      await act((io) => examine(options, io));
    });
}

function addStoreCommands(program: Command, act: Act): void {
  program
    .command('store')
    .description('Where a server keeps its runs.')
    .command('copy')
    .description('Move the runs of a stopped server into an empty PostgreSQL database.')
    .option('--from <dir>', DATA_DIR)
    .requiredOption(
      '--to <url>',
      'the database: postgres://USER@HOST/DATABASE; the password comes from PGPASSWORD or a password file',
    )
    .option(
      '--blobs <url>',
      'bucket that the files of runs move to: s3://BUCKET/PREFIX; they stay in the data directory if absent',
    )
    .addHelpText('after', COPY_HELP)
    .action(async (options: CopyStoreOptions) => {
      const { copyStoreOf } = await import('../commands/copy-store.ts');
      await act((io) => copyStoreOf(options, io));
    });
}

const COPY_HELP = `
With any other exit code than 0, the data directory is as it was: repeat the command.
Keys, tokens and settings stay in the data directory. The database of before stays there under another name.

Example:
  $ tutti store copy --from /var/lib/tutti --to postgres://tutti@db.example.com/tutti

Documentation: tutti docs operate/postgresql`;

const DOCTOR_HELP = `
Ends with 0 when nothing is wrong, or all was repaired; with 1 when something is wrong, which is listed; with 2
when the data that was named could not be checked. What is only to be looked at changes no exit code.

Example:
  $ tutti doctor
  $ tutti doctor --server https://tests.example.org --token-file ci.token
  $ tutti doctor --data-dir /var/lib/tutti --repair

Documentation: tutti docs operate/doctor, tutti docs operate/backup`;

const BACKUP_HELP = `
A backup has the secrets of all runs that are kept. Documentation: tutti docs operate/backup`;

const RESTORE_HELP = `
With any other exit code than 0, the data directory is as it was. Documentation: tutti docs operate/backup`;
