/**
 * What a route declares beside its handler. The app checks the token before any handler runs (401), then that the bearer may do
 * `verb` on `resource` in at least one namespace (403); handlers narrow to the namespace of what they touch with
 * `request.access`. Refusals are thrown as OrchestratorError; the app turns them into Status manifests.
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
     * What `request.body` is. `json` (default): the parsed document. `json-bytes`: a Buffer that says to be JSON. `bytes`: a Buffer, whatever the content type; both are
     * bounded by the route's `bodyLimit`, if absent by the app's. `stream`: the raw stream, which the handler bounds.
     */
    body?: 'json' | 'json-bytes' | 'bytes' | 'stream';
  }
  interface FastifyRequest {
    access: Access;
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
    /** Of the query: schemas by names. */
    parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    operation?: DescribedOperation;
  }
}

/** Given the words, so that a start need not load them. */
export type DescribedOperation = (words: typeof import('./openapi-words.ts')) => Operation;

/** A service's routes: registered once on the app. */
export type Routes = (app: FastifyInstance) => void;
