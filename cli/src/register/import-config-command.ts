/** The command that moves from existing installations to this one. */
import { type Command, Option } from 'commander';
import type { ImportConfigOptions } from '../commands/import-config.ts';
import { addPair } from '../options/option-values.ts';
import type { OutputFormat } from '../options/output-format.ts';
import type { Act } from './act.ts';

export function addImportCommand(program: Command, act: Act): void {
  program
    .command('import-config')
    .description('Make a configuration of those of existing services and clients.')
    .argument(
      '[paths...]',
      'files, or directories of files: of services, clients, variables, quality gates, insights, retention policies; that of the client (OPENTF_CONFIG or ~/.opentf/config) if absent',
    )
    .addOption(
      new Option('--save-to <directory>', 'where to write the files').default('tutti-config'),
    )
    .option(
      '--map <there=here>',
      'where a path of the configurations is on this machine; may be repeated',
      addPair('--map'),
    )
    .option('--context <name>', 'context of services; their current one if absent')
    .option('--authorization-mode <list>', 'as services are started with it')
    .option('--authorization-policy-file <file>', 'as services are started with it')
    .option('--token-auth-file <file>', 'as services are started with it')
    .option('--trustedkeys-auth-file <file>', 'as services are started with it')
    .option('--force', 'replace files that are there')
    .option('--dry-run', 'show what would be written, without writing it')
    .addOption(
      new Option('-o, --output <format>', 'json: for programs')
        .choices(['table', 'json'] satisfies readonly OutputFormat[])
        .default('table' satisfies OutputFormat),
    )
    .addHelpText('after', IMPORT_HELP)
    .action(async (paths: readonly string[], options: ImportConfigOptions) => {
      const { importConfig } = await import('../commands/import-config.ts');
      await act((io) => importConfig(paths, options, io));
    });
}

const IMPORT_HELP = `
Ends with 0 when all was carried over or is not needed, with 1 when something was not, which is
listed; the files are written all the same. With 2 nothing was written. Documentation: tutti docs guides/migration`;
