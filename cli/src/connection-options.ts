import type { Command } from 'commander';

/** The options with which every command finds its server. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'address of the server (or TUTTI_SERVER; default: the one of the data directory)',
    )
    .option('--token <token>', 'token (or TUTTI_TOKEN)')
    .option('--token-file <file>', 'file with the token')
    .option(
      '--data-dir <dir>',
      'data directory of a server on this machine (or TUTTI_DATA_DIR; default ./.tutti)',
    );
}
