/** Requests to GitLab's REST API, version 4: bounded in time and size; no message contains the token. */
import { readFile } from 'node:fs/promises';
import type { Answer, Fetch } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { createLightFetch } from '../connection/light-fetch.ts';
import { codeOf, fileReason } from '../terminal/file-problem.ts';
import { shownAddress, withoutCredentials } from '../terminal/shown-address.ts';
import type { GitlabPlace } from './gitlab-place.ts';

/** A failed request, and the advice. */
export class GitlabProblem extends Error {
  override readonly name = 'GitlabProblem';
  readonly next: string;
  /** Null without an answer. */
  readonly code: number | null;

  constructor(message: string, next: string, code: number | null = null) {
    super(message);
    this.next = next;
    this.code = code;
  }
}

export interface GitlabRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the target; empty for the target itself. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface GitlabAnswer {
  readonly document: unknown;
  /** Null on the last page. */
  readonly nextPage: string | null;
}

export interface GitlabApi {
  /** Rejects with `GitlabProblem`. */
  send(request: GitlabRequest): Promise<GitlabAnswer>;
}

export const GITLAB_LIMITS = {
  /** Timeout of one request: a merge request does not wait long for its note. */
  timeoutMs: 15_000,
  /** A page of a hundred long notes. */
  answerBytesMax: 16 * 1024 * 1024,
} as const;

type Limits = Readonly<Record<keyof typeof GITLAB_LIMITS, number>>;

const MESSAGE_LENGTH_MAX = 200;

/** `watched` wraps requests for `--debug`. */
export async function openGitlab(
  place: GitlabPlace,
  limits: Limits = GITLAB_LIMITS,
  watched: (fetch: Fetch) => Fetch = (fetch) => fetch,
): Promise<GitlabApi> {
  const { server, project, target, token, caFile } = place;
  const ca = caFile === null ? {} : { ca: await readAuthority(caFile) };
  // Redirects are followed only on the same server, so that no other gets the token.
  const fetch = watched(createLightFetch({ tls: ca }));
  const base = `${server}/api/v4/projects/${encodeURIComponent(project)}/${target.kind}/${target.iid}`;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return {
    send: async (request) => {
      try {
        return await send({ fetch, base, headers, limits }, request);
      } catch (error) {
        const isExplained = error instanceof GitlabProblem;
        throw hidden(isExplained ? error : unreachable(server, error, limits), token);
      }
    },
  };
}

async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = `The file of CI_SERVER_TLS_CA_FILE cannot be read: ${fileReason(error)}`;
    throw new GitlabProblem(why, 'look into the settings of the runner.');
  }
}

interface Sending {
  readonly fetch: Fetch;
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
}

async function send(
  { fetch, base, headers, limits }: Sending,
  { method, path, query = {}, body }: GitlabRequest,
): Promise<GitlabAnswer> {
  const search = new URLSearchParams(query).toString();
  const answer = await fetch(`${base}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(limits.timeoutMs),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await textOf(answer, limits);
  if (!answer.ok) throw refusal(answer.status, text);
  return { document: parsed(text), nextPage: answer.headers.get('x-next-page') || null };
}

async function textOf({ body }: Answer, { answerBytesMax }: Limits): Promise<string> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    pieces.push(piece.value);
    size += piece.value.length;
    if (size <= answerBytesMax) continue;
    await reader?.cancel();
    throw new GitlabProblem(
      `The answer has more than ${answerBytesMax} bytes.`,
      'check gitlab:server: it has to be GitLab that answers there.',
    );
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** Null if the text is no JSON, such as an empty answer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'set GITLAB_TOKEN to a token with the scope api that is valid. That of a job (CI_JOB_TOKEN) may not write notes.',
  403: 'give the user of the token a role that may write notes there, and the token the scope api.',
  404: 'check gitlab:project, and gitlab:mr or gitlab:issue; GitLab says the same where the token may not see them.',
  429: 'try again later.',
};

function refusal(code: number, text: string): GitlabProblem {
  const said = errorIn(parsed(text));
  const what = `It answers ${code}${said === '' ? '.' : `: ${said}`}`;
  if (code >= 500) return new GitlabProblem(what, 'try again later.', code);
  const next = ADVICE[code] ?? 'check what --plugin says; gitlab:server has to be GitLab itself.';
  return new GitlabProblem(what, next, code);
}

/** `{message: "404 Not found"}`, `{message: {body: ["is too long"]}}`, `{error: "invalid_token"}`. */
function errorIn(document: unknown): string {
  if (typeof document !== 'object' || document === null) return '';
  const reason =
    'message' in document ? document.message : 'error' in document ? document.error : '';
  const text = cleanLine(typeof reason === 'string' ? reason : JSON.stringify(reason));
  return text.length > MESSAGE_LENGTH_MAX ? `${text.slice(0, MESSAGE_LENGTH_MAX)}…` : text;
}

function unreachable(server: string, error: unknown, { timeoutMs }: Limits): GitlabProblem {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : null);
  const why = isLate ? `there is no answer in ${timeoutMs / 1000} s` : (code ?? String(error));
  return new GitlabProblem(
    `${shownAddress(server)} cannot be reached: ${withoutCredentials(why)}.`,
    'check gitlab:server; a certificate that only your organisation knows is named with NODE_EXTRA_CA_CERTS.',
  );
}

/** Removes the token: a server or a proxy may echo the request. */
function hidden(problem: GitlabProblem, token: string): GitlabProblem {
  const { message, next, code } = problem;
  return message.includes(token)
    ? new GitlabProblem(message.replaceAll(token, '***'), next, code)
    : problem;
}
