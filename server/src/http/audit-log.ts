/**
 * The audit log: one line for each request that changes something, with who sent it and what came of it. Polls and posts of agents have no
 * line, as the events that they cause name their actor.
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
  /** True where nothing was changed, as the request asked. */
  readonly dryRun?: boolean;
  /** Of a publication. */
  readonly kind?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for a route whose requests have no line in the audit log. */
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
    // Made anew whenever it is asked for.
    const { config } = request.routeOptions;
    if (isChange(request, config)) {
      loggerOf(request.access, config).info(lineOf(request, reply.statusCode), 'audit');
    }
    done();
  });
}

/**
 * Made once for a token and a route, with what all their lines say. No field of these lines has a token, so nothing has to be cut out: that
 * took a third of the time.
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
  // Nobody is known to have sent a request without a valid token.
  return config.access !== undefined && config.access !== 'none' && access !== NO_ACCESS;
}

/** Written entry by entry: to make one object of several takes longer than the rest of a line. */
function lineOf(request: FastifyRequest, code: number): object {
  const line: Record<string, unknown> = { [REQUEST_ID_LABEL]: request.id };
  line.method = request.method;
  line.code = code;
  for (const [name, value] of Object.entries(idsInPath(request))) {
    // What a client wrote into the path may be no id.
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
