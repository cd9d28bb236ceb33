/**
 * The audit log: one line for each request that changes something, with who sent it and what came of it. Polls and posts of agents have no
 * line, as the events that they cause name their actor.
 */

import { printable } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NO_ACCESS } from '../auth/access.ts';
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
  app.decorateRequest('audited');
  app.addHook('onResponse', (request, reply, done) => {
    if (isChange(request)) logger.info(lineOf(request, reply.statusCode), 'audit');
    done();
  });
}

function isChange({ method, access, routeOptions: { config } }: FastifyRequest): boolean {
  if (READING.includes(method) || config.isAudited === false) return false;
  // Nobody is known to have sent a request without a valid token.
  return config.access !== undefined && config.access !== 'none' && access !== NO_ACCESS;
}

function lineOf(request: FastifyRequest, code: number): object {
  const { access, audited, method, routeOptions } = request;
  const { access: needed, url } = routeOptions.config;
  const right = typeof needed === 'object' ? needed : {};
  const about = Object.fromEntries(
    Object.entries({ ...idsInPath(request), ...audited }).map(([name, value]) => [
      name,
      printable(String(value)),
    ]),
  );
  return {
    [REQUEST_ID_LABEL]: request.id,
    ...{ subject: printable(access.subject), key: printable(access.keyId) },
    ...right,
    ...about,
    ...{ method, path: url, code },
  };
}
