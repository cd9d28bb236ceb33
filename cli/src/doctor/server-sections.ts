/** The server: its answer, the token, its clock, and its agents. */
import { performance } from 'node:perf_hooks';
import type { Client, JsonRecord } from '@tutti/client';
import { type Connection, connectTo, createConnectionFetch } from '../connection/connection.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf } from '../terminal/problem.ts';
import { CLI_VERSION } from '../terminal/version.ts';
import { readRights } from '../tokens/token-rights.ts';
import { decodeToken } from '../tokens/token-signature.ts';
import { expiryText } from '../tokens/token-text.ts';
import { agentsSection } from './agents-section.ts';
import { certificatePoints } from './certificate-points.ts';
import { failingChecksOf } from './failing-checks.ts';
import { attention, ok, type Point, type Section, skipped, wrong } from './section.ts';

/** Timeout for a server that hangs. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The sections that need the server; one failed request is reported once. */
export async function serverSections(connection: Connection, io: Io): Promise<readonly Section[]> {
  const first = await ask(connection, io);
  const points = [
    ...connectionPoints(connection, first),
    ...(await certificatePoints(connection, io.now())),
  ];
  const connected: Section = { name: 'Connection', points };
  if (first.answer === null)
    return [connected, { name: 'Token', points: expiryPoints(connection, io) }];
  const { status, serverMs, middleMs } = first.answer;
  const client = await connectTo(connection, io);
  const isTaken = status === 200;
  return [
    isTaken
      ? { ...connected, points: [...connected.points, ...(await workPoints(client))] }
      : connected,
    {
      name: 'Token',
      points: [...expiryPoints(connection, io), ...(await rightsPoints(client, status))],
    },
    { name: 'Clock', points: [clockPoint(serverMs, middleMs)] },
    ...(isTaken ? [await agentsSection(client)] : []),
  ];
}

interface FirstAnswer {
  readonly status: number;
  readonly body: JsonRecord;
  readonly tookMs: number;
  /** Clock of the server; null if its answer has no time. */
  readonly serverMs: number | null;
  /** Our clock, in the middle of the request. */
  readonly middleMs: number;
}

interface FirstRequest {
  readonly answer: FirstAnswer | null;
  readonly problem: Point | null;
}

async function ask(connection: Connection, io: Io): Promise<FirstRequest> {
  try {
    const fetch = await createConnectionFetch(connection);
    const token = connection.token();
    const beganMs = io.now();
    const began = performance.now();
    const answer = await fetch(`${connection.url.replace(/\/+$/, '')}/version`, {
      method: 'GET',
      headers: { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const tookMs = performance.now() - began;
    const body = recordOf(await answer.text());
    if (body === null) return { answer: null, problem: notOurs(connection.url, answer.status) };
    const serverMs = Date.parse(answer.headers.get('date') ?? '');
    return {
      problem: null,
      answer: {
        status: answer.status,
        body,
        tookMs,
        serverMs: Number.isNaN(serverMs) ? null : serverMs,
        middleMs: beganMs + tookMs / 2,
      },
    };
  } catch (error) {
    const { UnreachableError } = await import('@tutti/client/unreachable-error');
    const lost = new UnreachableError(connection.url, 'connection', 'the connection failed', error);
    const { what, why, next } = problemOf(lost);
    return { answer: null, problem: wrong([what, ...why].join(' '), next) };
  }
}

const notOurs = (url: string, status: number): Point =>
  wrong(
    `${url} answers (${status}), but not as an orchestrator does.`,
    'check the address; a proxy on the way may be the one that answers.',
  );

function recordOf(text: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? { ...value } : null;
  } catch {
    return null;
  }
}

function connectionPoints(
  { url, source, tls }: Connection,
  { answer, problem }: FirstRequest,
): readonly Point[] {
  if (answer === null) {
    // Without a named server, none is required.
    if (source === 'the default')
      return [skipped(`no server is named, and none runs here (${url})`)];
    if (source === 'the data directory' && problem !== null) {
      return [
        attention(
          `the server of the data directory does not answer: ${problem.what}`,
          'it was killed, if it does not run: start it again with "tutti server".',
        ),
      ];
    }
    return problem === null ? [] : [problem];
  }
  return [
    ok(`${url} answers in ${answer.tookMs.toFixed(0)} ms`),
    ...(tls.insecure && url.startsWith('https:')
      ? [
          attention(
            'the certificate of the server is not checked',
            'name the certificate of its authority (--ca-file, or certificate-authority in the configuration).',
          ),
        ]
      : []),
    ...versionPoint(answer.body),
  ];
}

/** Checks readiness; servers of other versions and kinds have no such report. */
async function workPoints(client: Client): Promise<readonly Point[]> {
  try {
    await client.ready({ signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return [ok('it can do its work')];
  } catch (error) {
    const failing = failingChecksOf(error);
    if (failing !== null) return failing.map(({ what, advice }) => wrong(what, advice));
    const { what, why, next } = problemOf(error);
    return [wrong([what, ...why].join(' '), next)];
  }
}

/** Compares versions: all our packages have the same. */
function versionPoint(body: JsonRecord): readonly Point[] {
  const text = JSON.stringify(body);
  const [, version] = /"name":"@?tutti\/server"[^}]*?"version":"([^"]+)"/.exec(text) ?? [];
  if (version === undefined) return [];
  if (version === CLI_VERSION) return [ok(`server and command line have version ${version}`)];
  return [
    attention(
      `the server has version ${version}, the command line ${CLI_VERSION}`,
      'use the version of the server, if something does not work as documented.',
    ),
  ];
}

const DAY_MS = 86_400_000;
/** Time to make another one. */
const EXPIRY_NOTICE_MS = 7 * DAY_MS;

function expiryPoints(connection: Connection, io: Io): readonly Point[] {
  let token: string | null;
  try {
    token = connection.token();
  } catch (error) {
    const { what, next } = problemOf(error);
    return [wrong(what, next)];
  }
  if (token === null) return [skipped('there is no token')];
  const decoded = decodeToken(token);
  if (decoded === null) return [ok('it is no signed token, so the server alone knows about it')];
  const { exp, sub } = decoded.claims;
  const what = `of ${String(sub)}; expires: ${expiryText(exp, io.now())}`;
  const leftMs = typeof exp === 'number' ? exp * 1000 - io.now() : Number.POSITIVE_INFINITY;
  if (leftMs <= 0) return [wrong(what, ANOTHER_TOKEN)];
  return [leftMs < EXPIRY_NOTICE_MS ? attention(what, ANOTHER_TOKEN) : ok(what)];
}

const ANOTHER_TOKEN = 'make another one with "tutti tokens create", on the machine of the server.';

async function rightsPoints(client: Client, status: number): Promise<readonly Point[]> {
  if (status === 401) return [wrong('the server refuses it', ANOTHER_TOKEN)];
  try {
    const rights = (await readRights(client)).filter(({ namespaces }) => namespaces.length > 0);
    if (rights.length === 0) {
      return [
        attention('it may do nothing', 'use a token that may do more: "tutti tokens create".'),
      ];
    }
    const resources = [...new Set(rights.map(({ resource }) => resource))];
    return resources.map((resource) => {
      const own = rights.filter((right) => right.resource === resource);
      const verbs = own.map(({ verb }) => verb).join(', ');
      const namespaces = [...new Set(own.flatMap((right) => right.namespaces))].join(', ');
      return ok(
        `may ${verbs} ${resource} in ${namespaces === '*' ? 'all namespaces' : namespaces}`,
      );
    });
  } catch (error) {
    const { what, why, next } = problemOf(error);
    return [wrong([what, ...why].join(' '), next)];
  }
}

/** The header has whole seconds. */
const EXACT_MS = 2_000;
/** Beyond this, new tokens are not valid yet, or expired ones still are. */
const CLOCK_WRONG_MS = 60_000;

function clockPoint(serverMs: number | null, middleMs: number): Point {
  if (serverMs === null) return skipped('the server does not send its time');
  const offMs = serverMs + 500 - middleMs;
  const seconds = Math.round(Math.abs(offMs) / 1000);
  if (Math.abs(offMs) < EXACT_MS) return ok('the clocks of server and command line agree');
  const what = `the clock of the server is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  const next = 'have both machines set their clocks by the network (NTP).';
  return Math.abs(offMs) > CLOCK_WRONG_MS ? wrong(what, next) : attention(what, next);
}
