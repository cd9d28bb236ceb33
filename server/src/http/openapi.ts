/** `GET /openapi.json`: the description of the interface, made from what the routes declare. */
import { REASON_CODES } from '@tutti/manifests';
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { documentationOnly } from './documentation-only.ts';
import type { Routes } from './routes.ts';

/** What is described of a route. */
export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

export interface OpenApiOptions {
  readonly version: string;
}

/**
 * The OpenAPI document as indented JSON. The generator is loaded here, and works on an app of its own: describing the
 * interface happens rarely and must not cost anything at start.
 */
export async function describeApi(
  routes: readonly DescribedRoute[],
  options: OpenApiOptions,
): Promise<string> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = fastify({ exposeHeadRoutes: false, schemaController: documentationOnly });
  await app.register(swagger, {
    openapi: { ...DESCRIPTION, info: { ...DESCRIPTION.info, version: options.version } },
    refResolver: {
      buildLocalReference: ({ $id }, _, __, index) => String($id ?? `schema-${index}`),
    },
  });
  app.addSchema(STATUS_SCHEMA);
  for (const route of sorted(routes)) declare(app, route);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}

const DESCRIPTION = {
  openapi: '3.1.0' as const,
  info: {
    title: 'Tutti',
    description:
      'Test workflow orchestrator. Except where noted, responses are Status manifests; every call carries a bearer token.',
  },
  components: {
    securitySchemes: { token: { type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' } },
  },
  security: [{ token: [] }],
};

/** Specification 2.1. */
const STATUS_SCHEMA = {
  $id: 'Status',
  title: 'Status',
  type: 'object',
  properties: {
    apiVersion: { type: 'string', const: 'v1' },
    kind: { type: 'string', const: 'Status' },
    metadata: { type: 'object' },
    message: { type: 'string' },
    status: { type: 'string', enum: ['Success', 'Failure'] },
    reason: { type: 'string', enum: Object.keys(REASON_CODES) },
    code: { type: 'integer' },
    details: { type: ['object', 'null'] },
  },
  required: ['apiVersion', 'kind', 'metadata', 'message', 'status', 'reason', 'code', 'details'],
};

/** What every route answers that does not say otherwise, and all of them on failures. */
const STATUS_RESPONSE = { default: { description: 'Status manifest', $ref: 'Status#' } };

/** Registration order is an accident of the composition; the document must not change with it. */
function sorted(routes: readonly DescribedRoute[]): readonly DescribedRoute[] {
  const key = ({ url, method }: DescribedRoute): string => `${url} ${[method].flat().join()}`;
  return [...routes].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function declare(app: FastifyInstance, { method, url, schema, config }: DescribedRoute): void {
  app.route({
    method,
    url,
    schema: {
      ...schema,
      response: { ...STATUS_RESPONSE, ...responsesOf(schema) },
      ...(config?.access === 'none' ? { security: [] } : {}),
    },
    handler: () => null,
  });
}

function responsesOf(schema: DescribedRoute['schema']): object {
  const { response } = schema ?? {};
  return typeof response === 'object' && response !== null ? response : {};
}

/** The route itself; `routes` is read at the first request, when all routes are known. */
export function openApiRoutes(routes: readonly DescribedRoute[], options: OpenApiOptions): Routes {
  return (app) => {
    let document: Promise<string> | null = null;
    app.get(
      '/openapi.json',
      {
        schema: { summary: 'Description of this interface', tags: ['common'] },
      },
      async (_request, reply) => {
        document ??= describeApi(routes, options);
        return reply.type('application/json; charset=utf-8').send(await document);
      },
    );
  };
}
