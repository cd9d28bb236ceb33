/** The HTTP app: authentication, access, bodies, errors and headers that all routes share. */
import type { IncomingMessage } from 'node:http';
import { messages, OrchestratorError } from '@tutti/manifests';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
  type RouteOptions,
} from 'fastify';
import { type Access, NO_ACCESS, notAuthorized } from '../auth/access.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { HeldTokens } from '../auth/held-tokens.ts';
import { createLogin, type Login } from '../auth/login.ts';
import type { Ids } from '../runtime/clock.ts';
import type { ServerConfig } from '../runtime/config.ts';
import { LIMITS } from '../runtime/limits.ts';
import type { Logger } from '../runtime/logger.ts';
import { memoryBounds } from '../runtime/memory-bounds.ts';
import { checkPrefixes, createPrefixRemover } from '../runtime/service-addresses.ts';
import { beginInTurn } from '../runtime/turns.ts';
import { boundWholeAnswers, createAnswerMemory, createPageMemory } from './answer-memory.ts';
import { logChanges } from './audit-log.ts';
import { registerBodyParsers } from './bodies.ts';
import { allowOrigins } from './cors.ts';
import { createDocumentMemory } from './document-memory.ts';
import { type DocumentTasks, readHere } from './document-tasks.ts';
import { answerError, answerFrameworkError } from './errors.ts';
import { type HealthOptions, healthRoutes } from './health.ts';
import { holdRequest, LASTING_GRANT } from './held-request.ts';
import { tenantOf } from './holder.ts';
import { boundBodies } from './incoming-bodies.ts';
import { boundConnections } from './open-connections.ts';
import { type DescribedRoute, openApiRoutes } from './openapi.ts';
import { leadToPage, type PageSessions, takeSession } from './page-requests.ts';
import { registerProcessedQuery } from './processed-query.ts';
import { countRequests, type RequestCounts } from './request-counts.ts';
import { createRequestLogger } from './request-logger.ts';
import {
  REQUEST_ID_LABEL,
  registerRequestTimes,
  requestIdOf,
  setRequestId,
} from './request-tracing.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { createKnownRoutes, type KnownRoutes } from './unknown-routes.ts';
import {
  answerUnreadableRequest,
  answerWhatNodeRefuses,
  checkHost,
} from './unreadable-requests.ts';

interface AppDeps {
  readonly authenticator: Authenticator;
  /** Ends requests whose tokens end; absent if tokens never end. */
  readonly heldTokens?: HeldTokens;
  /** Sessions of the pages; absent if there are no pages. */
  readonly sessions?: () => Promise<PageSessions>;
  readonly logger: Logger;
  /** For requests that come without an id of their own. */
  readonly ids: Pick<Ids, 'random'>;
  readonly config: Pick<ServerConfig, 'auth' | 'cors' | 'limits' | 'services' | 'ui'>;
  /** Version of the server, for the description of the interface. */
  readonly version: string;
  /** The request counters, if any. */
  readonly requests?: RequestCounts;
  /** The readiness checks of `GET /health?ready`, if there are any. */
  readonly readiness?: HealthOptions['readiness'];
  /** Reads documents in threads; absent if nothing else waits. */
  readonly documents?: DocumentTasks;
  /** Sends requests to another replica; absent if there are none. */
  readonly forwarding?: ((app: FastifyInstance) => void) | undefined;
}

/** Longer than the minute after which reverse proxies drop idle connections: they should be the ones to close. */
const KEEP_ALIVE_MS = 75_000;
/** The router's own limit would answer before the check of the token; Node limits the request line to this length. */
const PATH_PARAMETER_LENGTH_MAX = 16_384;

/**
 * The app without the routes of services: call each service's `Routes` with it, then `listen` or `inject`. It has `GET /health`
 * and `GET /openapi.json`. `close` stops accepting, lets requests in flight finish, and ends idle connections at once.
 */
export function createApp(deps: AppDeps): FastifyInstance {
  const login = createLogin(deps.authenticator, deps.config.auth);
  const app = createFastify(deps, login);
  const known = createKnownRoutes();
  const described: DescribedRoute[] = [];
  app.addHook('onRoute', (route) => {
    checkPrefixes(deps.config.services, route.url);
    // Preflight requests come for every path, existing or not (`allowOrigins`).
    if (route.method !== 'OPTIONS') known.add(route);
    if (isDescribed(route)) described.push(route);
  });
  app.decorateRequest('access');
  app.decorateRequest('grant');
  app.decorateRequest('answer');
  app.decorateRequest('isForwarded', false);
  app.decorateRequest('isOfReplica', false);
  const bounds = memoryBounds();
  app.decorate('answerMemory', createAnswerMemory(bounds.answers));
  app.decorate('pageMemory', createPageMemory(bounds.pages));
  app.decorate('documentMemory', createDocumentMemory(bounds));
  app.decorateRequest('documentValues', 0);
  registerBodyParsers(app, deps.documents ?? readHere);
  logChanges(app, deps.logger);
  if (deps.sessions !== undefined) leadToPage(app);
  const { cors, limits } = deps.config;
  allowOrigins(app, cors.origins, () => {
    registerAccessChecks(app, login, deps);
    // The share of a subject is known once its token is verified.
    boundConnections(app, limits, deps.logger);
    deps.forwarding?.(app);
    boundBodies(app, limits);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    beginInTurn(() => tenantOf(request), done);
  });
  registerRequestTimes(app, deps.logger);
  if (deps.requests !== undefined) countRequests(app, deps.requests);
  registerProcessedQuery(app);
  boundWholeAnswers(app);
  answerWhatNodeRefuses(app.server);
  app.setErrorHandler(answerError);
  answerUnknownRoutes(app, known);
  closeIdleConnectionsAtEnd(app);
  const { readiness } = deps;
  healthRoutes({
    insecure: deps.config.auth.insecureHealth,
    ...(readiness && { readiness }),
  })(app);
  const { insecureDocs } = deps.config.auth;
  openApiRoutes(described, { version: deps.version, insecureDocs })(app);
  return app;
}

function createFastify({ logger, ids, config }: AppDeps, login: Login): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = logger;
  return fastify({
    loggerInstance,
    childLoggerFactory: createRequestLogger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: REQUEST_ID_LABEL,
    }),
    genReqId: (request) => requestIdOf(request, ids),
    http: {
      // Answered by `checkHost`, with a Status manifest.
      requireHostHeader: false,
      headersTimeout: LIMITS.headSeconds * 1000,
      connectionsCheckingInterval: LIMITS.headLookMs,
    },
    bodyLimit: config.limits.bodyBytes,
    connectionTimeout: LIMITS.idleConnectionSeconds * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Files of any size may take any time; a connection that stands still is closed by `connectionTimeout`.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: true,
    routerOptions: {
      ignoreDuplicateSlashes: true,
      ignoreTrailingSlash: true,
      maxParamLength: PATH_PARAMETER_LENGTH_MAX,
    },
    frameworkErrors: (error, request, reply) => {
      // Before a route is found no hook has looked at the token.
      login(request.headers).then(
        () => answerFrameworkError(error, request, reply),
        (refusal: unknown) => answerFrameworkError(refusal, request, reply),
      );
    },
    clientErrorHandler: answerUnreadableRequest,
    schemaController: documentationOnly,
    ...rewriting(config),
  });
}

/** No option if there is nothing to rewrite: each request would pay for it. */
function rewriting({ services, ui: { reportsPort } }: Pick<ServerConfig, 'services' | 'ui'>) {
  if (reportsPort === 0 && services.every(({ prefix }) => prefix === undefined)) return {};
  const remove = createPrefixRemover(services);
  return {
    // A request to the port for reports gets nothing else, whatever it names.
    rewriteUrl: ({ url = '/', socket }: IncomingMessage) =>
      socket.localPort === reportsPort ? `/reports${url}` : remove(url),
  };
}

/** Pages for people, which are no part of the interface. */
const PAGES = /^\/docs(?:\/|$)|^\/ui(?:\/\*)?$/;

/** HEAD comes with GET, and the description does not describe itself. */
function isDescribed({ method, url }: RouteOptions): boolean {
  const isOther = method === 'HEAD' || method === 'OPTIONS';
  return !isOther && url !== '/openapi.json' && !PAGES.test(url);
}

function registerAccessChecks(
  app: FastifyInstance,
  login: Login,
  { heldTokens, sessions }: Pick<AppDeps, 'heldTokens' | 'sessions'>,
): void {
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply);
    setRequestId(request, reply);
    dropContentType(request);
    checkHost(request);
    request.access = NO_ACCESS;
    request.grant = LASTING_GRANT;
    request.answer = reply.raw;
    if (request.routeOptions.config.access === 'none') {
      // An anonymous connection is not kept.
      reply.header('Connection', 'close');
      return;
    }
    if (sessions !== undefined && request.headers.cookie !== undefined) {
      await takeSession(sessions, request);
    }
    const access = await login(request.headers);
    request.access = access;
    checkAccess(request, access);
    refuseDelivery(request);
    if (heldTokens !== undefined) holdRequest(heldTokens, request, reply);
  });
}

/** Drops useless content types. The framework would refuse an empty one as unknown. A DELETE has all its data in the path. */
function dropContentType({ raw }: FastifyRequest): void {
  const isEmpty = raw.headers['content-type']?.trim() === '';
  if (isEmpty || raw.method === 'DELETE') delete raw.headers['content-type'];
}

function checkAccess(request: FastifyRequest, access: Access): void {
  const { access: needed, isOpen } = request.routeOptions.config;
  if (needed === undefined || needed === 'none' || isOpen?.(request) === true) return;
  const namespaces = access.namespaces(needed.resource, needed.verb);
  if (namespaces !== '*' && namespaces.size === 0) {
    throw notAuthorized(access, needed.verb, needed.resource);
  }
}

/** Before the body is parsed: the answer concerns only path and method. */
function answerUnknownRoutes(app: FastifyInstance, known: KnownRoutes): void {
  app.setNotFoundHandler((request, reply) => known.handleUnknown(request, reply));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done();
    // An unread body would block the connection.
    payload.resume();
    known.handleUnknown(request, reply);
  });
}

function closeIdleConnectionsAtEnd(app: FastifyInstance): void {
  let closing = false;
  let isPlanned = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  // Otherwise, a connection whose last request ends after `close` would stay open for the keep-alive time.
  app.addHook('onResponse', (_request, _reply, done) => {
    done();
    if (!closing || isPlanned) return;
    isPlanned = true;
    // This checks all connections: once for all answers of a turn, as thousands of held requests end together.
    setImmediate(() => {
      isPlanned = false;
      app.server.closeIdleConnections();
    });
  });
}

/**
 * Schemas of routes are documentation: documents are validated on reading, with all problems at once, and answers are plain JSON.
 * The framework gets dummy compilers, so that its own (15 MiB) are never loaded.
 */
const compilersFactory = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
};

// The types want the full interface of the default validator, of which the framework calls nothing.
const documentationOnly = { compilersFactory } as unknown as NonNullable<
  FastifyServerOptions['schemaController']
>;

/** A bus sends both with each delivery; clients send neither. */
const HEADERS = ['X-Subscription-ID', 'X-Publication-ID'];

/**
 * Refuses deliveries of an event bus that came back. An inbox may be a server: this one behind a proxy, or another. An endpoint
 * turns a delivery into a new event, so one publication would circulate for ever.
 */
function refuseDelivery({ raw: { method, headers } }: FastifyRequest): void {
  if (method !== 'POST') return;
  const header = HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (header !== undefined) {
    throw new OrchestratorError('Forbidden', messages.deliveryReturned(header));
  }
}
