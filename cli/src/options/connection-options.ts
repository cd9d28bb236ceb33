import { type Command, Option } from 'commander';

/** Heading of these options in the help of each command. */
export const CONNECTION_HEADING = 'Server:';

/** The options with which every command finds its server. */
export function withConnection(command: Command): Command {
  for (const [flags, description] of CONNECTION_OPTIONS) {
    command.addOption(new Option(flags, description).helpGroup(CONNECTION_HEADING));
  }
  return command;
}

const CONNECTION_OPTIONS = [
  [
    '--server <url>',
    'address of the server (or TUTTI_SERVER; default: that of the context, or of the data directory)',
  ],
  ['--token <token>', 'token (or TUTTI_TOKEN)'],
  ['--token-file <file>', 'file with the token'],
  [
    '--context <name>',
    'context of the configuration (or TUTTI_CONTEXT; default: its current one, see "tutti config")',
  ],
  ['--client-config <file>', 'configuration of the command line (or TUTTI_CLIENT_CONFIG)'],
  [
    '--data-dir <dir>',
    'data directory of a server on this machine (or TUTTI_DATA_DIR; default ./.tutti)',
  ],
  ['--ca-file <file>', 'certificates of authorities to trust, in PEM form (or TUTTI_CA_FILE)'],
  [
    '--client-certificate <file>',
    'certificate to be known by, in PEM form (or TUTTI_CLIENT_CERTIFICATE)',
  ],
  ['--client-key <file>', 'key of that certificate, in PEM form (or TUTTI_CLIENT_KEY)'],
  [
    '--insecure-skip-tls-verify',
    'do not check the certificate of the server (or TUTTI_INSECURE_SKIP_TLS_VERIFY=1)',
  ],
] as const;
