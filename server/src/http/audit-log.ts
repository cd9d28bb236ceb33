/**
 * The audit log: one line for each request that changes something, with its sender and its result. Polls and posts of agents have
 * no line, because their events name the actor.
 */

import { printable } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, NO_ACCESS } from '../auth/access.ts';
import type { Logger } from '../runtime/logger.ts';
import { bearerOf, idsInPath } from './errors.ts';
import { REQUEST_ID_LABEL } from './request-tracing.ts';

/** Facts for the audit line that only the handler of a request knows. */
export interface Audited {
  readonly namespace?: string;
  readonly workflowId?: string;
  /** The run that is run again. */
  readonly rerunOf?: string;
  readonly agentId?: string;
  readonly subscriptionId?: string;
  /** True if the request asked for no change. */
  readonly dryRun?: boolean;
  /** Kind of a publication. */
  readonly kind?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for a route without lines in the audit log. */
    isAudited?: boolean;
  }
  interface FastifyRequest {
    /** Set by the handler. */
    audited?: Audited;
  }
}

type RouteConfig = FastifyRequest['routeOptions']['config'];

const READING = ['GET', 'HEAD', 'OPTIONS'];

export function logChanges(app: FastifyInstance, logger: Logger): void {
  const loggers = new WeakMap<Access, Map<object, Logger>>();
  const loggerOf = (access: Access, config: RouteConfig): Logger => {
    const ofBearer = loggers.get(access) ?? new Map<object, Logger>();
    loggers.set(access, ofBearer);
    const known = ofBearer.get(config) ?? makeLogger(logger, access, config);
    ofBearer.set(config, known);
    return known;
  };
  app.decorateRequest('audited');
  app.addHook('onResponse', (request, reply, done) => {
    // Created at each use.
    const { config } = request.routeOptions;
    if (!request.isForwarded && isChange(request, config)) {
      loggerOf(request.access, config).info(lineOf(request, reply.statusCode), 'audit');
    }
    done();
  });
}

/**
 * Made once for a token and a route, with the fields common to all lines. No field contains a token, so the lines need no
 * redaction, which took a third of the time.
 */
function makeLogger(logger: Logger, bearer: Access, { access, url }: RouteConfig): Logger {
  const { verb, resource } = typeof access === 'object' ? access : {};
  return logger.child(
    { ...bearerOf(bearer), verb, resource, path: url },
    { redact: { paths: [], censor: '' } },
  );
}

function isChange({ method, access }: FastifyRequest, config: RouteConfig): boolean {
  if (READING.includes(method) || config.isAudited === false) return false;
  // The sender of a request without a valid token is unknown.
  return config.access !== undefined && config.access !== 'none' && access !== NO_ACCESS;
}

/** Written entry by entry, because merging objects takes longer than the rest of a line. */
function lineOf(request: FastifyRequest, code: number): object {
  const line: Record<string, unknown> = { [REQUEST_ID_LABEL]: request.id };
  line.method = request.method;
  line.code = code;
  for (const [name, value] of Object.entries(idsInPath(request))) {
    // The path may contain text that is no id.
    line[name] = printable(String(value));
  }
  const { audited } = request;
  if (audited === undefined) return line;
  for (const [name, value] of Object.entries(audited)) line[name] = value;
  // Texts of the client, as well.
  const { namespace, kind } = audited;
  if (namespace !== undefined) line.namespace = printable(namespace);
  if (kind !== undefined) line.kind = printable(kind);
  return line;
}
