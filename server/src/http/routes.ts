/**
 * The declarations of a route beside its handler. Before the handler runs, the app checks the token (401). Then it checks that
 * the bearer may do `verb` on `resource` in some namespace (403). Handlers check the exact namespace with `request.access`.
 * Refusals are thrown as OrchestratorError; the app turns them into Status manifests.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Access, Resource, Verb } from '../auth/access.ts';
import type { Grant } from './held-request.ts';
import type { Operation } from './openapi-words.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: any valid token. `none`: no token at all. */
    access?: { readonly resource: Resource; readonly verb: Verb } | 'none';
    /** True for requests of the route that ask for nothing, so that any valid token is enough. */
    isOpen?: (request: FastifyRequest) => boolean;
    /**
     * Whether each replica answers such requests, from store and bucket. All others are for the active replica. Without replicas, it says
     * nothing.
     */
    anywhere?: boolean | ((request: FastifyRequest) => boolean);
    /**
     * Form of `request.body`. `json` (default): the parsed document. `json-bytes`: a Buffer with a JSON content type. `json-or-octets`: the
     * same, or a Buffer of `application/octet-stream`. `bytes`: a Buffer of any content type. All have the `bodyLimit` of the route, or else
     * of the app. `stream`: the raw stream, bounded by the handler.
     */
    body?: 'json' | 'json-bytes' | 'json-or-octets' | 'bytes' | 'stream';
  }
  interface FastifyRequest {
    access: Access;
    /** Whether another replica has answered it. */
    isForwarded: boolean;
    /** Whether another replica has forwarded it here. */
    isOfReplica: boolean;
    /** Whether `access` still counts, for requests that take longer. */
    grant: Grant;
    /** Closes when the request is over, however it ended. */
    answer: ServerResponse;
  }
  /** Documentation of a route, from which `GET /openapi.json` is made; bodies are validated by the handlers. */
  interface FastifySchema {
    summary?: string;
    description?: string;
    tags?: readonly string[];
    /** Parameters of the query: schemas by names. */
    parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    operation?: DescribedOperation;
  }
}

/** Given the words, so that a start need not load them. */
export type DescribedOperation = (words: typeof import('./openapi-words.ts')) => Operation;

/** A service's routes: registered once on the app. */
export type Routes = (app: FastifyInstance) => void;
