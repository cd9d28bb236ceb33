/**
 * The audit log: one line for each request that changes something, with who sent it and what came of it. Polls and posts of agents have no
 * line, as the events that they cause name their actor.
 */

import { printable } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, NO_ACCESS } from '../auth/access.ts';
import type { Logger } from '../runtime/logger.ts';
import { idsInPath } from './errors.ts';
import { REQUEST_ID_LABEL } from './request-tracing.ts';

/** What a handler finds out about the request that it carries out. */
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

const READING = ['GET', 'HEAD', 'OPTIONS'];

export function logChanges(app: FastifyInstance, logger: Logger): void {
  const loggers = new WeakMap<Access, Logger>();
  const loggerOf = (access: Access): Logger => {
    const known = loggers.get(access) ?? ofBearer(logger, access);
    loggers.set(access, known);
    return known;
  };
  app.decorateRequest('audited');
  app.addHook('onResponse', (request, reply, done) => {
    if (isChange(request)) {
      loggerOf(request.access).info(lineOf(request, reply.statusCode), 'audit');
    }
    done();
  });
}

/** Made once for a token. No field of these lines has a token, so nothing has to be cut out: that took a third of the time. */
function ofBearer(logger: Logger, { subject, keyId }: Access): Logger {
  return logger.child(
    { subject: printable(subject), key: printable(keyId) },
    { redact: { paths: [], censor: '' } },
  );
}

function isChange({ method, access, routeOptions: { config } }: FastifyRequest): boolean {
  if (READING.includes(method) || config.isAudited === false) return false;
  // Nobody is known to have sent a request without a valid token.
  return config.access !== undefined && config.access !== 'none' && access !== NO_ACCESS;
}

function lineOf(request: FastifyRequest, code: number): object {
  const { audited = {}, method, routeOptions } = request;
  const { access, url } = routeOptions.config;
  const { verb, resource } = typeof access === 'object' ? access : {};
  const { namespace, kind, ...ids } = audited;
  return {
    [REQUEST_ID_LABEL]: request.id,
    ...{ verb, resource, method, path: url, code },
    ...printableIds(request),
    ...ids,
    ...(namespace === undefined ? {} : { namespace: printable(namespace) }),
    ...(kind === undefined ? {} : { kind: printable(kind) }),
  };
}

/** What a client wrote into the path may be no id. */
function printableIds(request: FastifyRequest): Readonly<Record<string, string>> {
  const ids = Object.entries(idsInPath(request));
  return Object.fromEntries(ids.map(([name, value]) => [name, printable(String(value))]));
}
