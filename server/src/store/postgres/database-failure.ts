/** Failures of the database: which of them pass by themselves, and as refusals. */
import { OrchestratorError } from '@tutti/manifests';
import { LIMITS } from '../../runtime/limits.ts';

/** The code of PostgreSQL (`23505`) or of the system (`ECONNREFUSED`); empty where there is none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}

/** A name with several addresses has an error for each. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Our own errors, in the words of the driver. */
export const NO_WRITES = 'Connection terminated: no host takes writes';
export const NO_CONNECTION = 'timeout expired: all connections are in use';

/** A restart, a failover, a transaction that stood still, or too many connections of others. */
const PASSING = /^(?:08...|57P0.|25P03|53300|25006)$/;
/** Errors of the driver have no code. */
const DRIVER =
  /^(?:Connection terminated|Client (?:was closed|has encountered)|timeout expired|Query read timeout|read ECONN)/;

/** The connection is gone, or there is none. Nobody knows what became of a statement that was sent. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (PASSING.test(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return false;
  return /^E[A-Z]+/.test(code) || DRIVER.test(wordsOf(error));
}

/** The driver knew that the connection was gone, and sent nothing. */
export const isUnsent = (error: unknown): boolean =>
  /^Client (?:was closed|has encountered)/.test(wordsOf(error));

export const isFullDisk = (error: unknown): boolean => codeOf(error) === '53100';

/** A refusal that may be retried soon: most requests have waited already. */
export function unavailable(error: unknown): OrchestratorError {
  return new OrchestratorError(
    'ServiceUnavailable',
    'The database of the server is not available. Try again later.',
    { cause: error, retryAfterSeconds: LIMITS.retryAfterDatabaseSeconds },
  );
}

/** The refusal of a start whose connection broke. */
export const lossProblem = (error: unknown, address: string): OrchestratorError =>
  new OrchestratorError('Invalid', connectProblem(error, address), { cause: error });

/** The refusal of a start: its connection broke, or its user has no right to tables that are there. Null for another error. */
export function startProblem(error: unknown, address: string): OrchestratorError | null {
  if (isLost(error)) return lossProblem(error, address);
  if (codeOf(error) !== '42501') return null;
  return new OrchestratorError(
    'Conflict',
    `The database ${address} cannot be used: ${wordsOf(error)}. Make its user the owner of all that is in it: REASSIGN OWNED BY other TO user.`,
    { cause: error },
  );
}

/** Sentences for a failed start, with what to do. */
export function connectProblem(error: unknown, address: string): string {
  const code = codeOf(error);
  const what = `The database ${address} cannot be used`;
  const said = wordsOf(error).replace(/\.$/, '');
  if (code === '3D000') {
    return `${what}: there is no such database. Create it: CREATE DATABASE name OWNER user.`;
  }
  if (code === '42501') {
    return `${what}: ${said}. Allow it: GRANT CONNECT ON DATABASE name TO user.`;
  }
  if (code === '53300') {
    return `${what}: it takes no further connections (${said}). Raise max_connections; a server takes eleven.`;
  }
  if (code === '57P03') return `${what}: ${said}. Start the server again when it is ready.`;
  if (said === NO_WRITES) {
    return `${what}: none of its hosts takes writes. Promote a standby, or name the primary in the address.`;
  }
  if (code.startsWith('28') || /password must be|SCRAM|SASL/.test(said)) {
    return `${what}: it refuses the user or its password (${said}). Set PGPASSWORD, or name a password file with PGPASSFILE, and look at pg_hba.conf.`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    return `${what}: its certificate is not trusted (${code}). For an authority of your own, set NODE_EXTRA_CA_CERTS.`;
  }
  if (/does not support SSL/.test(said)) {
    return `${what}: it has no TLS. Turn on ssl in postgresql.conf; in a network that nobody else can reach, add ?sslmode=disable to the address.`;
  }
  return `${what} (${said}). Check the address, and whether PostgreSQL runs there.`;
}
