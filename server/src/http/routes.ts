/**
 * What a route declares beside its handler. The app checks the token before any handler runs (401), then that the bearer may do
 * `verb` on `resource` in at least one namespace (403); handlers narrow to the namespace of what they touch with
 * `request.access`. Refusals are thrown as OrchestratorError; the app turns them into Status manifests.
 */
import type { FastifyInstance } from 'fastify';
import type { Access, Resource, Verb } from '../auth/access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: any valid token. `none`: no token at all. */
    access?: { readonly resource: Resource; readonly verb: Verb } | 'none';
  }
  interface FastifyRequest {
    access: Access;
  }
}

/** A service's routes: registered once on the app. */
export type Routes = (app: FastifyInstance) => void;
