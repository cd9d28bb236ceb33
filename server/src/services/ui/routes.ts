/** Signing in with a browser: a token, or a code, becomes a session. */
import { formatTimestamp, OrchestratorError, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Access, RESOURCES, VERBS } from '../../auth/access.ts';
import type { TokenAuthority } from '../../auth/authenticator.ts';
import { bearerToken } from '../../auth/bearer-token.ts';
import { requireSafeSignIn, sessionCookie, sessionSecretOf } from '../../http/page-requests.ts';
import { queryFlag } from '../../http/query.ts';
import { sendStatus } from '../../http/reply.ts';
import type { Routes } from '../../http/routes.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import { UI_BODY_BYTES_MAX } from './limits.ts';
import * as operations from './operations.ts';
import type { Sessions, SessionsDeps, SignedIn } from './sessions.ts';

export interface UiDeps {
  readonly authority: TokenAuthority;
  /** Loaded with the first request that needs them. */
  readonly sessions: () => Promise<Sessions>;
}

/** Loaded with the first request of a browser. */
export const sessionsOf = (deps: SessionsDeps): UiDeps['sessions'] =>
  loadedOnce(async () => {
    const { Sessions } = await import('./sessions.ts');
    return new Sessions(deps);
  });

const SESSION = '/ui/session';
const TAGS = ['ui'];

export function uiRoutes(deps: UiDeps): Routes {
  return (app) => {
    app.get('/ui', PAGE, showPage);
    app.get('/ui/*', PAGE, showPage);
    app.post(
      SESSION,
      // The handler checks the token, or takes a code instead.
      {
        bodyLimit: UI_BODY_BYTES_MAX,
        config: { access: 'none', body: 'bytes' },
        schema: { summary: 'Sign in with a browser', tags: TAGS, operation: operations.signIn },
      },
      (request, reply) => signIn(deps, request, reply),
    );
    app.get(
      SESSION,
      { schema: { summary: 'Who is signed in', tags: TAGS, operation: operations.getSession } },
      (request, reply) => showSession(deps, request, reply),
    );
    app.delete(
      SESSION,
      {
        schema: {
          summary: 'Sign out',
          tags: TAGS,
          parameters: { all: { type: 'boolean' } },
          operation: operations.signOut,
        },
      },
      (request, reply) => signOut(deps, request, reply),
    );
    app.post(
      '/ui/codes',
      {
        bodyLimit: UI_BODY_BYTES_MAX,
        config: { body: 'bytes' },
        schema: {
          summary: 'Make a code for signing in',
          tags: TAGS,
          operation: operations.newCode,
        },
      },
      async (request, reply) => {
        const { authorization } = request.headers;
        const sessions = await deps.sessions();
        const code = await sessions.newCode(signedIn(deps, request.access, authorization));
        return sendStatus(reply, status('Created', 'Code created.', { code }));
      },
    );
  };
}

/** The files of the page tell nothing of this installation. Its requests need a session. */
const PAGE = { config: { access: 'none', anywhere: true } } as const;

const page = loadedOnce(async () => (await import('../../http/page.ts')).openPage());

const showPage = async (request: FastifyRequest, reply: FastifyReply) =>
  await (await page())(request, reply);

/** Throws `Unauthorized` for a request without a token: nobody has to sign in then. */
function signedIn({ authority }: UiDeps, access: Access, header: string | undefined): SignedIn {
  const authorization = `Bearer ${bearerToken(header)}`;
  const { expiresAtMs } = authority.validityOf(access);
  return { subject: access.subject, authorization, expiresAtMs };
}

async function signIn(deps: UiDeps, request: FastifyRequest, reply: FastifyReply) {
  requireSafeSignIn(request);
  const { 'tutti-code': code, authorization: header } = request.headers;
  const sessions = await deps.sessions();
  const authorization = typeof code === 'string' ? await sessions.redeem(code) : header;
  if (authorization === null) {
    const error = 'A code works once, within 60 seconds. What to do: ask for another one.';
    throw new OrchestratorError('Unauthorized', 'The code does not count.', { details: { error } });
  }
  const access = await deps.authority.authenticate(authorization);
  const session = await sessions.begin(signedIn(deps, access, authorization));
  reply.header('Set-Cookie', sessionCookie(request, session));
  return sendStatus(reply, status('Created', 'Signed in.', shown(access, session.endsAtMs)));
}

async function showSession(deps: UiDeps, request: FastifyRequest, reply: FastifyReply) {
  const { access } = request;
  const secret = sessionSecretOf(request);
  const session = secret === null ? null : await (await deps.sessions()).find(secret);
  const endsAtMs = session?.endsAtMs ?? deps.authority.validityOf(access).expiresAtMs;
  return sendStatus(reply, status('OK', 'Session.', shown(access, endsAtMs)));
}

async function signOut(deps: UiDeps, request: FastifyRequest, reply: FastifyReply) {
  const sessions = await deps.sessions();
  const secret = sessionSecretOf(request);
  // This request gets its answer; all others of the session are closed.
  sessions.release(request.answer);
  if (queryFlag(request, 'all')) await sessions.endAll(request.access.subject);
  else if (secret !== null) await sessions.end(secret);
  reply.header('Set-Cookie', sessionCookie(request, null));
  return sendStatus(reply, status('OK', 'Signed out.'));
}

/** Subject, end, and rights: namespaces by resource and verb, `*` for all. */
function shown(access: Access, endsAtMs: number) {
  const rights = RESOURCES.flatMap((resource) => {
    const verbs = VERBS.flatMap((verb) => {
      const namespaces = access.namespaces(resource, verb);
      const listed = namespaces === '*' ? ['*'] : [...namespaces];
      return listed.length === 0 ? [] : [[verb, listed] as const];
    });
    return verbs.length === 0 ? [] : [[resource, Object.fromEntries(verbs)] as const];
  });
  return {
    subject: access.subject,
    expires: Number.isFinite(endsAtMs) ? formatTimestamp(endsAtMs) : null,
    rights: Object.fromEntries(rights),
  };
}
