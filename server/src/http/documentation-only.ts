/**
 * Schemas of routes are documentation: documents are validated on reading, with all problems at once, and answers are plain JSON.
 * The framework gets dummy compilers, so that its own (15 MiB) are never loaded.
 */
import type { FastifyServerOptions } from 'fastify';

const compilersFactory = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => JSON.stringify,
};

// The types want the full interface of the default validator, of which the framework calls nothing.
export const documentationOnly = { compilersFactory } as unknown as NonNullable<
  FastifyServerOptions['schemaController']
>;
