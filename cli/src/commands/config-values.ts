/** Values for `tutti config`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { serverAddress } from '@tutti/client/service-addresses';
import { booleanOf, textOf } from '@tutti/manifests/values';
import type { ConfigKey } from '../client-config/config-keys.ts';
import type { PartValues } from '../client-config/edit-config.ts';
import { readLineColors } from '../run-view/line-colors.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readInput } from '../terminal/read-input.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';

/** Values of the keys that options name. Throws `UsageError` for invalid values. */
export const valuesOf = (keys: readonly ConfigKey[], options: PartValues): PartValues =>
  Object.fromEntries(keys.map((key) => [key[0], readValue(key, options)]));

/** Options have read the other kinds already. */
function readValue([key, form]: ConfigKey, options: PartValues): PartValues[string] {
  const value = options[key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
  if (value === undefined || !['<file>', '[boolean]', '[value]'].includes(form)) return value;
  if (form === '<file>') {
    // Paths are stored absolute.
    const file = resolve(String(value));
    if (existsSync(file)) return file;
    throw new UsageError(`There is no file ${file}.`, 'name a file that is there.');
  }
  const boolean = booleanOf(value);
  if (boolean !== null) return boolean;
  if (form === '[boolean]') throw new UsageError(`--${key} takes true or false, not "${value}".`);
  if (readLineColors(String(value)) !== null) return value;
  throw new UsageError(
    `--${key} takes true, false, or colours as in out=32:err=1;31, not "${value}".`,
    'write names (ttl, run, out, err, att) with the numbers of their colours, and colons between.',
  );
}

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
export async function givenSecret(options: PartValues, io: Io): Promise<string | null> {
  const { token, tokenFile } = options;
  if (typeof token === 'string' && tokenFile !== undefined) {
    throw new UsageError('--token and --token-file both name a token.', 'leave one of them out.');
  }
  if (token !== '-') return textOf(token);
  const read = await readInput(io);
  if (read !== '') return read;
  throw new UsageError('There is no token on standard input.', 'send one, and nothing else.');
}
