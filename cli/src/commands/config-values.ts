/** Reads option values for `tutti config`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { serverAddress } from '@tutti/client/service-addresses';
import { booleanOf, numberOf, textOf } from '@tutti/manifests/values';
import type { PartValues } from '../client-config/edit-config.ts';
import { readLineColors } from '../run-view/line-colors.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readInput } from '../terminal/read-input.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';

type Options = Readonly<Record<string, unknown>>;
/** Undefined without a value. Throws `UsageError` for invalid values. */
type Reader = (value: unknown, option: string) => PartValues[string];

/** Paths are stored absolute. */
const existingFile: Reader = (value) => {
  if (typeof value !== 'string') return undefined;
  const file = resolve(value);
  if (existsSync(file)) return file;
  throw new UsageError(`There is no file ${file}.`, 'name a file that is there.');
};

export function readBoolean(value: unknown, option: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  const read = booleanOf(value);
  if (read !== null) return read;
  throw new UsageError(`${option} takes true or false, not "${String(value)}".`);
}

/** True, false, or the colours of kinds of lines. */
const readColors: Reader = (value, option) => {
  if (typeof value !== 'string' || booleanOf(value) !== null) return readBoolean(value, option);
  if (readLineColors(value) !== null) return value;
  throw new UsageError(
    `${option} takes true, false, or colours as in out=32:err=1;31, not "${value}".`,
    'write names (ttl, run, out, err, att) with the numbers of their colours, and colons between.',
  );
};

const readNumber: Reader = (value) => numberOf(value) ?? undefined;
/** With the blanks at its ends. */
const readRaw: Reader = (value) => (typeof value === 'string' ? value : undefined);
const readText: Reader = (value) => textOf(value) ?? undefined;

const OF_ORCHESTRATOR: readonly (readonly [key: string, read: Reader])[] = [
  ['insecure-skip-tls-verify', readBoolean],
  ['certificate-authority', existingFile],
  ['client-certificate', existingFile],
  ['client-key', existingFile],
];
const OF_USER: readonly (readonly [key: string, read: Reader])[] = [
  ['token-file', existingFile],
  ['step-depth', readNumber],
  ['job-depth', readNumber],
  ['max-command-length', readNumber],
  ['output-prefix', readRaw],
  ['colors', readColors],
  ['verbose', readBoolean],
  ['progress', readText],
  ['show-notifications', readBoolean],
];

/** Values of an orchestrator, except address and services. */
export const orchestratorValues = (options: Options): PartValues =>
  valuesOf(OF_ORCHESTRATOR, options);

/** Values of a user, except the token itself. */
export const userValues = (options: Options): PartValues => valuesOf(OF_USER, options);

const valuesOf = (readers: typeof OF_USER, options: Options): PartValues =>
  Object.fromEntries(
    readers.map(([key, read]) => [key, read(options[inCommander(key)], `--${key}`)]),
  );

/** `client-key` as `clientKey`. */
const inCommander = (key: string): string =>
  key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The address of a server as written. Throws `UsageError` if it is no address. */
export function checkedServer(server: string): string {
  const shown = shownAddress(server);
  if (serverAddress({ server }) === null) {
    throw new UsageError(
      `Not the address of a server: ${shown}; it begins with http:// or https://.`,
      'write it as in http://127.0.0.1:7774.',
    );
  }
  if (isPlainAddress(server)) return server;
  throw new UsageError(
    `The address ${shown} has a name, a password or a query, which no server takes.`,
    'leave them out, and name a token: "tutti config set-credentials NAME --token-file FILE".',
  );
}

/** Reads the token that `--token` or `--token-file` names. `-` is the token on standard input. */
export async function givenSecret({ token, tokenFile }: Options, io: Io): Promise<string | null> {
  if (typeof token === 'string' && tokenFile !== undefined) {
    throw new UsageError('--token and --token-file both name a token.', 'leave one of them out.');
  }
  if (token !== '-') return textOf(token);
  const read = await readInput(io);
  if (read !== '') return read;
  throw new UsageError('There is no token on standard input.', 'send one, and nothing else.');
}
