/** Messages for errors: what happened, why, and what to do next. */
import { isUnreachableError, type UnreachableError } from '@tutti/client/unreachable-error';
import { type FailureReason, isOrchestratorError, type OrchestratorError } from '@tutti/manifests';
import { cleanOutput } from '@tutti/run-view/text';
import { asCalled } from './command-name.ts';
import { NoDirectoryServerError } from './directory-server.ts';
import { fileAdvice, fileProblem } from './file-problem.ts';
import { asArgument } from './shell-argument.ts';
import { withoutCredentials } from './shown-address.ts';

export interface Problem {
  readonly what: string;
  /** Details, a line each. */
  readonly why: readonly string[];
  readonly next: string | null;
}

/** The user asked for something that cannot be meant. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly next: string | null;

  constructor(message: string, next: string | null = null) {
    super(message);
    this.next = next;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof UsageError) return { what: error.message, why: [], next: error.next };
  if (isOrchestratorError(error)) return refusalProblem(error);
  if (isUnreachableError(error)) return unreachableProblem(error);
  const file = fileProblem(error);
  if (file !== null) return { what: file, why: [], next: fileAdvice(error) };
  const what = error instanceof Error ? error.message : String(error);
  return { what: `Something unexpected happened: ${what}`, why: [], next: UNEXPECTED };
}

const UNEXPECTED =
  'call it again with --debug, which shows where it comes from, and report what it says.';

/** Lines for standard error; `command` is how hints name commands. */
export function renderProblem({ what, why, next }: Problem, command = 'tutti'): string {
  const details = why.map((line) => `  ${clean(line)}\n`).join('');
  return `tutti: ${clean(what)}\n${details}${next === null ? '' : `What to do: ${withoutCredentials(asCalled(next, command))}\n`}`;
}

/** The text may contain names of others, and addresses with passwords. */
const clean = (text: string): string => cleanOutput(withoutCredentials(text), false);

const TOO_OLD =
  'use a newer server: this one cannot do that. "tutti version --server URL" shows its version.';

/** By how the message begins, which the specification has (part 7). */
const MISSING: readonly (readonly [begin: string, advice: string])[] = [
  ['Agent ', 'see which agents there are with "tutti agents".'],
  ['Subscription ', 'see which subscriptions there are with "tutti subscriptions -o wide".'],
  ['Test ', 'see which tests there are with "tutti tests".'],
  ['No such path: ', TOO_OLD],
  ['', 'see which workflows there are with "tutti workflows".'],
];

function adviceOn({ reason, message }: OrchestratorError): string | null {
  if (reason !== 'NotFound') return ADVICE[reason] ?? null;
  return MISSING.find(([begin]) => message.startsWith(begin))?.[1] ?? null;
}

const ADVICE: Partial<Readonly<Record<FailureReason, string>>> = {
  Unauthorized:
    'pass a token that the server trusts with --token-file or --token; its data directory has one in admin.token, and "tutti tokens create" makes others.',
  Forbidden: 'use a token that allows this; "tutti tokens create" makes one.',
  MethodNotAllowed: TOO_OLD,
  Invalid: 'correct what is named above, then try again.',
  BadRequest: 'correct what is named above, then try again.',
  PayloadTooLarge:
    'send less; "tutti docs reference/limits" has all limits, and says which of them the configuration can raise.',
  TooManyRequests: 'try again in a while.',
  ServiceUnavailable: 'try again in a while.',
  InternalError: 'look into the log of the server.',
};

function refusalProblem(error: OrchestratorError): Problem {
  const details = detailLines(error.details, error.message);
  const inMessage = details.find((line) => error.message.includes(line));
  const messageAt = inMessage === undefined ? -1 : error.message.indexOf(inMessage);
  const next = adviceOn(error);
  if (messageAt === -1) return { what: error.message, why: details, next };
  // Many servers repeat the first problem, or all of them, in the message.
  if (details.length === 1) return { what: error.message, why: [], next };
  const before = error.message.slice(0, messageAt).trimEnd();
  return before === ''
    ? { what: error.message, why: details.filter((line) => line !== inMessage), next }
    : { what: before, why: details, next };
}

/** `details.error` is a text; other entries are shown unchanged, except for a repeated message. */
function detailLines(details: object | null, message: string): readonly string[] {
  const entries = Object.entries(details ?? {}).filter(([, value]) => value !== message);
  return entries.flatMap(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    return key === 'error' ? lines : [`${key}: ${lines.join(' ')}`];
  });
}

const NO_TLS = 'It does not answer in TLS.';
const SILENT = 'It takes connections, and does not answer in time.';

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'The connection was cut.',
  ENOTFOUND: 'There is no host of that name.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'There is no way to that host.',
  ETIMEDOUT: 'The host does not answer.',
  UND_ERR_CONNECT_TIMEOUT: 'The host does not answer.',
  UND_ERR_SOCKET: 'The connection was cut.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed and not trusted here.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate comes from an authority that is not trusted here.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Its certificate comes from an authority that is not trusted here.',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host.',
};

function unreachableProblem(error: UnreachableError): Problem {
  const { origin } = URL.parse(error.url) ?? { origin: error.url };
  if (error.problem === 'answer') {
    return {
      what: `${origin} does not answer as an orchestrator does.`,
      why: [error.message],
      next: 'check the address given with --server or TUTTI_SERVER; a proxy on the way may be the one that answers.',
    };
  }
  const reason = causeOf(error);
  const why = [reason ?? error.message];
  if (reason?.includes('certificate')) return { what: unreached(origin), why, next: TRUST };
  if (reason === NO_TLS) return { what: unreached(origin), why, next: WITHOUT_TLS };
  if (reason === SILENT) return { what: unreached(origin), why, next: LATER };
  const { cause: directory } = error;
  return directory instanceof NoDirectoryServerError
    ? { ...directoryProblem(directory, origin), why }
    : { what: unreached(origin), why, next: START };
}

function causeOf({ code, cause }: UnreachableError): string | null {
  if (code !== null) return CAUSES[code] ?? code;
  return cause instanceof Error && cause.name === 'TimeoutError' ? SILENT : null;
}

const unreached = (origin: string): string => `The server ${origin} cannot be reached.`;

function directoryProblem({ dataDir, isNamed }: NoDirectoryServerError, origin: string) {
  const what = isNamed
    ? `The server of the data directory ${dataDir} cannot be reached at ${origin}.`
    : `No server runs in the data directory ${dataDir}, and none can be reached at ${origin}, where it would be by default.`;
  const start = `tutti server --data-dir ${asArgument(dataDir)}`;
  return { what, next: `start it with "${start}", or name another one with ${NAMES}.` };
}

const NAMES = '--server or TUTTI_SERVER';
const START = `start a server with "tutti server", or name another one with ${NAMES}.`;
const WITHOUT_TLS = 'name it with http:// in place of https://, or see to it that it has TLS.';
const LATER = `try again in a while; if that stays so, look into the log of that server, or name another one with ${NAMES}.`;
const TRUST =
  'name the certificate of its authority with --ca-file or TUTTI_CA_FILE, or, where nobody can be on the way, pass --insecure-skip-tls-verify.';
