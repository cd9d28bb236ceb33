/** `tutti tokens`: tokens, their rights, and their expiry. */
import { type Command, Option } from 'commander';
import type { TokenCheckOptions } from '../commands/check-token.ts';
import type { TokenRevokedOptions, TokenRevokeOptions } from '../commands/revoke-tokens.ts';
import type { TokenRotateOptions } from '../commands/rotate-tokens.ts';
import type { TokenShowOptions } from '../commands/show-token.ts';
import type { TokenCreateOptions } from '../commands/token.ts';
import { withConnection } from '../options/connection-options.ts';
import { addNames, addPath, readDuration } from '../options/option-values.ts';
import type { OutputFormat } from '../options/output-format.ts';
import type { Act } from './act.ts';

const DATA_DIR = 'data directory of the server (or TUTTI_DATA_DIR; default ./.tutti)';
const TOKEN_ARGUMENT = [
  '[token]',
  'the token; - reads it from standard input, where no other user sees it',
] as const;

export function addTokenCommands(program: Command, act: Act): void {
  const tokens = program
    .command('tokens')
    .alias('token')
    .description('Make, read, check and revoke tokens.')
    .addHelpText('after', '\nDocumentation: tutti docs operate/access');
  addCreate(tokens, act);
  addShow(tokens, act);
  addCheck(tokens, act);
  addRevoke(tokens, act);
  addRevoked(tokens, act);
  addRotate(tokens, act);
}

function addCreate(tokens: Command, act: Act): void {
  tokens
    .command('create')
    .description('Make a token with the key of a data directory, or one of your own, and print it.')
    .option('--data-dir <dir>', DATA_DIR)
    .requiredOption('--subject <name>', 'who the token is for')
    .option(
      '--namespaces <list>',
      'namespaces it reaches, separated by commas',
      addNames('--namespaces'),
    )
    .option(
      '--resources <list>',
      'resources it reaches, as in workflows,agents; results lets a plugin carry out commands',
      addNames('--resources'),
    )
    .option('--verbs <list>', 'what it may do: list,get,create,delete', addNames('--verbs'))
    .option(
      '--expires-in <duration>',
      'how long it is valid, as in 1h; for ever if absent',
      readDuration,
    )
    .option('--key <file>', 'private key to sign with, in PEM form (RSA, EC or Ed25519)')
    .option('--passphrase-file <file>', 'passphrase of that key; asked for on a terminal if absent')
    .option('--algorithm <name>', 'of the signature, as in RS512; one that fits the key if absent')
    .option('--issuer <name>', 'who issues it; tutti if absent')
    .addHelpText('after', CREATE_HELP)
    .action(async (options: TokenCreateOptions) => {
      const { createTokenOf } = await import('../commands/token.ts');
      await act((io) => createTokenOf(options, io));
    });
}

const outputOption = () =>
  new Option('-o, --output <format>', 'json: for programs')
    .choices(['table', 'json'] satisfies readonly OutputFormat[])
    .default('table' satisfies OutputFormat);

function addShow(tokens: Command, act: Act): void {
  tokens
    .command('show')
    .description('Show what a token says. Nothing is verified.')
    .argument(...TOKEN_ARGUMENT)
    .option('--token-file <file>', 'file with the token')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ tutti tokens show --token-file .tutti/admin.token')
    .action(async (token: string | undefined, options: TokenShowOptions) => {
      const { showToken } = await import('../commands/show-token.ts');
      await act((io) => showToken(token, options, io));
    });
}

function addCheck(tokens: Command, act: Act): void {
  withConnection(
    tokens
      .command('check')
      .description('Verify a token with a public key, or ask a server what it may do.'),
  )
    .argument(...TOKEN_ARGUMENT)
    .option(
      '--public-key <file>',
      'key that may have signed it, in PEM form; may be repeated. Absent: that of the data directory',
      addPath,
    )
    .option('--online', 'ask the server; the same as to name one with --server or --context')
    .addOption(outputOption())
    .addHelpText('after', CHECK_HELP)
    .action(async (token: string | undefined, options: TokenCheckOptions) => {
      const { checkToken } = await import('../commands/check-token.ts');
      await act((io) => checkToken(token, options, io));
    });
}

function addRevoke(tokens: Command, act: Act): void {
  tokens
    .command('revoke')
    .description('Revoke one token: the server refuses it before it expires.')
    .argument(...TOKEN_ARGUMENT)
    .option('--token-file <file>', 'file with the token')
    .option('--id <id>', 'the id of the token (its claim jti), instead of the token')
    .option('--sha256 <hash>', 'hash of the token without its signature, instead of the token')
    .option('--data-dir <dir>', DATA_DIR)
    .addHelpText('after', REVOKE_HELP)
    .action(async (token: string | undefined, options: TokenRevokeOptions) => {
      const { revokeOneToken } = await import('../commands/revoke-tokens.ts');
      await act((io) => revokeOneToken(token, options, io));
    });
}

function addRevoked(tokens: Command, act: Act): void {
  tokens
    .command('revoked')
    .description('List the tokens that were revoked one by one, and have not expired.')
    .option('--data-dir <dir>', DATA_DIR)
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ tutti tokens revoked --data-dir /var/lib/tutti')
    .action(async (options: TokenRevokedOptions) => {
      const { listRevokedTokens } = await import('../commands/revoke-tokens.ts');
      await act((io) => listRevokedTokens(options, io));
    });
}

function addRotate(tokens: Command, act: Act): void {
  tokens
    .command('rotate')
    .description('Revoke all tokens that a server issued: it gets a new key.')
    .option('--data-dir <dir>', DATA_DIR)
    .addHelpText('after', ROTATE_HELP)
    .action(async (options: TokenRotateOptions) => {
      const { rotateTokens } = await import('../commands/rotate-tokens.ts');
      await act((io) => rotateTokens(options, io));
    });
}

const CREATE_HELP = `
Example:
  $ tutti tokens create --subject ci --namespaces team-a --expires-in 30d > ci.token
  $ tutti tokens create --subject ci --key private.pem --issuer "our company"
  $ tutti tokens create --subject our-provider --resources subscriptions,publications,results

"tutti docs operate/access" says what each verb on each resource allows.`;

const CHECK_HELP = `
Ends with 0 when the token is valid, with 102 when none of the keys has signed it, with 2 when it is
valid no more, not yet, or no token at all, or when the server refuses it.

Example:
  $ tutti tokens check --token-file ci.token --public-key public.pem
  $ tutti tokens check --token-file ci.token --server https://tests.example.org`;

const REVOKE_HELP = `
A running server notices within a second; what it holds or streams for the token ends then. It
works for tokens of all keys that the server trusts.

Example:
  $ tutti tokens revoke --token-file ci.token --data-dir /var/lib/tutti
  $ tutti tokens revoke --id 3c1c5a52-8d0b-4f7d-9a55-0d4a7c1d9b1e`;

const ROTATE_HELP = `
A running server notices within a second. Agents, clients, plugins and subscriptions need new tokens then;
those that other keys signed stay as they are. If it is interrupted, call it again.

Example:
  $ tutti tokens rotate --data-dir /var/lib/tutti`;
