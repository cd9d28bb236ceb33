/** `tutti tokens check`: checks a token by its signature, or asks a server. */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOrchestratorError } from '@tutti/manifests';
import { cleanOutput } from '@tutti/run-view/text';
import { type ConnectionOptions, connectTo, findConnection } from '../connection/connection.ts';
import { dataDirOf } from '../connection/data-directory.ts';
import { type OutputFormat, printDocument } from '../options/output-format.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { renderProblem, UsageError } from '../terminal/problem.ts';
import { renderTable } from '../terminal/table.ts';
import { givenToken, NO_TOKEN, noSuchToken } from '../tokens/given-token.ts';
import { type Rights, readRights } from '../tokens/token-rights.ts';
import { type DecodedToken, decodeToken, isSignedBy } from '../tokens/token-signature.ts';
import { expiryText, tokenLines } from '../tokens/token-text.ts';

export interface TokenCheckOptions extends ConnectionOptions {
  readonly publicKey?: readonly string[];
  readonly online?: boolean;
  readonly output: OutputFormat;
}

/** Resolves with the exit code: 102 where no key has signed it. */
export async function checkToken(
  argument: string | undefined,
  options: TokenCheckOptions,
  io: Io,
): Promise<number> {
  const isOnline =
    options.online === true || options.server !== undefined || options.context !== undefined;
  if (isOnline && options.publicKey !== undefined) {
    throw new UsageError(
      'A token is checked with a key, or by a server.',
      'leave out --public-key, or --online, --server and --context.',
    );
  }
  if (isOnline) return await askServer(argument, options, io);
  const token = (await givenToken(argument, options, io)) ?? options.token ?? null;
  if (token === null) throw NO_TOKEN;
  return await verifyOffline(token, options, io);
}

async function verifyOffline(token: string, options: TokenCheckOptions, io: Io): Promise<number> {
  const decoded = decodeToken(token);
  if (decoded === null) throw noSuchToken();
  const { loadTokenTools } = await import('@tutti/server');
  const { ACCEPTED_ALGORITHM, algorithmsOf, readKeys, readScope } = await loadTokenTools();
  const algorithm = String(decoded.header.alg);
  if (!ACCEPTED_ALGORITHM.test(algorithm)) {
    throw new UsageError(
      `Tokens signed with ${algorithm} are not accepted.`,
      'sign it with RS, PS or ES and 256, 384 or 512, or with EdDSA.',
    );
  }
  const keys: KeyObject[] = [];
  for (const file of keyFiles(options, io)) keys.push(...(await readKeys(file)));
  if (!keys.some((key) => isSignedBy(decoded, key, algorithmsOf(key)))) {
    const what = `${keys.length === 1 ? 'That key has' : 'None of these keys has'} not signed the token.`;
    io.complain(renderProblem({ what, why: [], next: ANOTHER_KEY }, io.command));
    return EXIT_CODES.gateFailed;
  }
  refuseByTime(decoded, io.now());
  await refuseRevoked(token, options, io);
  if (readScope(decoded.claims.tutti) === null) {
    throw new UsageError(
      'The restrictions of the token cannot be read, so that servers refuse it.',
      'make another one with "tutti tokens create".',
    );
  }
  print({ isValid: true, header: decoded.header, claims: decoded.claims }, options, io, () => [
    'The token is valid.',
    ...tokenLines(decoded, io.now()),
  ]);
  return EXIT_CODES.done;
}

const ANOTHER_KEY =
  'check it with the key of who issued it, or ask the server: "tutti tokens check --online".';

function keyFiles({ publicKey, ...options }: TokenCheckOptions, io: Io): readonly string[] {
  if (publicKey !== undefined) return publicKey;
  const { dataDir } = options;
  const own = join(dataDirOf(dataDir === undefined ? {} : { dataDir }, io), 'keys/signing.pub.pem');
  if (existsSync(own)) return [own];
  throw new UsageError(
    `There is no key ${own} to check the token with.`,
    'name one with --public-key, a data directory with --data-dir, or ask the server with --online.',
  );
}

function refuseByTime({ claims }: DecodedToken, nowMs: number): void {
  const { exp, nbf } = claims;
  if (exp !== undefined && !(Number(exp) * 1000 > nowMs)) {
    throw new UsageError(
      `The token has expired: ${expiryText(exp, nowMs)}.`,
      'make another one with "tutti tokens create".',
    );
  }
  if (nbf !== undefined && !(Number(nbf) * 1000 <= nowMs)) {
    throw new UsageError(
      `The token is not valid yet: ${expiryText(nbf, nowMs)}.`,
      'wait, or correct the clock of this machine.',
    );
  }
}

/** Refuses a revoked token, if the data directory of the server is on this machine. */
async function refuseRevoked(token: string, { dataDir }: TokenCheckOptions, io: Io): Promise<void> {
  const { loadTokenTools } = await import('@tutti/server');
  const { readRevokedTokens, revokedTokens } = await loadTokenTools();
  const place = dataDirOf(dataDir === undefined ? {} : { dataDir }, io);
  const entries = await readRevokedTokens(place);
  if (entries === null || !revokedTokens(entries).has(token)) return;
  throw new UsageError(
    `The token was revoked, as ${place} says.`,
    'make another one with "tutti tokens create".',
  );
}

async function askServer(
  argument: string | undefined,
  options: TokenCheckOptions,
  io: Io,
): Promise<number> {
  const given = argument === undefined ? null : await givenToken(argument, options, io);
  const connection = await findConnection(options, io);
  const token = given ?? connection.token();
  if (token === null) throw NO_TOKEN;
  const client = await connectTo({ ...connection, token: () => token }, io);
  const rights = await orRefused(readRights(client));
  const { url } = connection;
  print({ isValid: true, server: url, rights }, options, io, () => [
    `${url} accepts the token. It reaches:`,
    ...rightsTable(rights),
  ]);
  return EXIT_CODES.done;
}

async function orRefused<Result>(asking: Promise<Result>): Promise<Result> {
  try {
    return await asking;
  } catch (error) {
    if (!isOrchestratorError(error) || error.reason !== 'Unauthorized') throw error;
    const why = Object.values(error.details ?? {}).filter((each) => typeof each === 'string');
    throw new UsageError(
      `The server refuses the token: ${[error.message, ...why].join(' ')}`,
      'see whether it is for this server, and how long it is valid: "tutti tokens show".',
    );
  }
}

/** A row for each resource, a column for each verb. */
export function rightsTable(rights: Rights): readonly string[] {
  const verbs = [...new Set(rights.map(({ verb }) => verb))];
  const resources = [...new Set(rights.map(({ resource }) => resource))];
  const cell = (resource: string, verb: string): string => {
    const found = rights.find((each) => each.resource === resource && each.verb === verb);
    return found?.namespaces.join(',') || '-';
  };
  const rows = resources.map((resource) => [
    resource,
    ...verbs.map((verb) => cell(resource, verb)),
  ]);
  return renderTable(['RESOURCE', ...verbs.map((verb) => verb.toUpperCase())], rows);
}

function print(
  document: object,
  { output }: TokenCheckOptions,
  io: Io,
  lines: () => readonly string[],
): void {
  if (output === 'json') printDocument(document, io);
  else io.screen.write(cleanOutput(`${lines().join('\n')}\n`, false));
}
