/** The OpenAPI 3.1 document: what the routes declare, and what is known of their operations. */
import type { FailureReason, SuccessReason } from '@tutti/manifests';
import type { RouteOptions } from 'fastify';
import { OPERATIONS } from './openapi-operations.ts';
import {
  type Answer,
  codeOf,
  FAILURE_ANSWERS,
  JSON_TYPE,
  type Operation,
  type RequestHeader,
  refToFailure,
} from './openapi-parts.ts';
import { SCHEMAS, type Schema, text, uuid } from './openapi-schemas.ts';

/** What is described of a route. */
export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

export interface OpenApiOptions {
  readonly version: string;
}

export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** In the order of paths, since the order of registration is an accident. */
export function openApiDocument(
  routes: readonly DescribedRoute[],
  { version }: OpenApiOptions,
): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, route } of sorted(routes)) {
    const operation = OPERATIONS[`${method} ${path}`] ?? UNDESCRIBED;
    const described = describe(path, route, operation);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: described,
      ...(operation.headId === undefined ? {} : { head: asHead(described, operation.headId) }),
    };
  }
  return { ...HEAD, info: { ...HEAD.info, version }, paths, components: COMPONENTS };
}

/** Of a route that nobody described; a test finds it by its missing id. */
const UNDESCRIBED: Operation = { id: '', answers: {} };

const HEAD = {
  openapi: '3.1.0',
  info: {
    title: 'Tutti',
    description:
      'Test workflow orchestrator. Except where noted, answers are Status manifests; every call carries a bearer token. ' +
      'Parameters that are not known are ignored.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/' }],
  security: [{ token: [] }],
  tags: [
    { name: 'receptionist', description: 'Starting workflows' },
    { name: 'observer', description: 'What becomes of workflows' },
    { name: 'killswitch', description: 'Cancelling workflows' },
    { name: 'localstore', description: 'Attachments' },
    { name: 'qualitygate', description: 'Whether the outcome of a workflow is good enough' },
    { name: 'providers', description: 'The functions that steps of workflows can call' },
    { name: 'insightcollector', description: 'Reports' },
    { name: 'eventbus', description: 'Publications and subscriptions' },
    { name: 'agentchannel', description: 'Execution agents' },
    { name: 'common', description: 'The server itself' },
  ],
} as const;

const COMPONENTS = {
  securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  schemas: SCHEMAS,
  responses: FAILURE_ANSWERS,
} as const;

interface PlacedRoute {
  readonly path: string;
  readonly method: string;
  readonly route: DescribedRoute;
}

function sorted(routes: readonly DescribedRoute[]): readonly PlacedRoute[] {
  const key = ({ path, method }: PlacedRoute): string => `${path} ${method}`;
  return routes
    .flatMap((route) => {
      const path = route.url.replace(/:(\w+)/g, '{$1}');
      return [route.method].flat().map((method) => ({ path, method, route }));
    })
    .sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function describe(path: string, { schema, config }: DescribedRoute, operation: Operation): object {
  const { summary, tags, description } = schema ?? {};
  const body = operation.body ?? declaredBody(schema?.body);
  const told = [description, operation.description].filter((part) => part !== undefined);
  return {
    operationId: operation.id,
    ...(summary === undefined ? {} : { summary }),
    ...(told.length === 0 ? {} : { description: told.join(' ') }),
    tags: tags ?? [],
    ...(config?.access === 'none' ? { security: [] } : {}),
    ...(typeof config?.access === 'object' ? { 'x-right': config.access } : {}),
    parameters: [
      ...namesInPath(path).map(pathParameter),
      ...queryParameters(schema?.querystring),
      ...(operation.headers ?? []).map(headerParameter),
    ],
    ...(body === null ? {} : { requestBody: { required: true, content: body } }),
    responses: responses(operation, config, body !== null),
  };
}

/** The body that a route itself declares: a schema, or content by media types. */
function declaredBody(body: unknown): object | null {
  if (typeof body !== 'object' || body === null) return null;
  return 'content' in body ? Object(body.content) : { [JSON_TYPE]: { schema: body } };
}

/** The answers to HEAD are those to GET without their bodies. */
function asHead(described: object, operationId: string): object {
  const answers = Object.entries('responses' in described ? Object(described.responses) : {});
  const bare = answers.map(([code, answer]) => [code, withoutBody(Object(answer))]);
  return { ...described, operationId, responses: Object.fromEntries(bare) };
}

function withoutBody({ content: _, ...answer }: Fields): object {
  return '$ref' in answer ? { description: 'As for GET, without the body.' } : answer;
}

type Fields = Readonly<Record<string, unknown>>;

const namesInPath = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const pathParameter = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: name === 'kind' ? { type: 'string', enum: ['jobs', 'tags', 'testcases'] } : uuid,
});

const headerParameter = ({ name, description, schema }: RequestHeader): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const SELECTOR =
  'Conditions with commas between them; all must hold: `key`, `!key`, `key==value`, `key!=value`, `key in (a, b)`, ' +
  '`key notin (a, b)`, `(a, b) in key`, `(a, b) notin key`. Values may have blanks inside.';
const FLAG: Schema = { type: 'boolean' };

/** Parameters mean the same wherever they occur. */
const QUERY: Readonly<Record<string, { readonly description: string; readonly schema?: Schema }>> =
  {
    dryRun: { description: 'Only check. `?dryRun` alone means true.', schema: FLAG },
    expand: { description: 'Answer manifests, and not ids.' },
    fieldSelector: { description: `${SELECTOR} Keys are names of fields with dots between them.` },
    // Agents are removed in any state, so it is never refused.
    force: { description: 'Whatever its state is. Any value is taken.', schema: text },
    labelSelector: { description: `${SELECTOR} Keys are labels.` },
    last: { description: 'Id of the last command that the agent accepted.' },
    namespace: { description: 'Of the run; else that of the manifest, else `default`.' },
    page: { description: 'From 1; if absent 1.' },
    per_page: { description: 'Items of a page; if absent 100, above 1000 taken as 1000.' },
    ping: { description: 'Answer Pong! and do nothing else.', schema: FLAG },
    reason: { description: 'Why, for those who report.' },
    resource: { description: 'With `verb`: which operation is meant.' },
    running: { description: 'Id of the command that the agent runs now.' },
    scope: { description: "An expression over `test`, as `test.outcome == 'failure'`." },
    source: { description: 'Who asks for it, for those who report.' },
    verb: { description: 'With `resource`: which operation is meant.' },
  };

/** A flag may stand alone, without a value. */
const isFlag = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'boolean';

function queryParameters(querystring: unknown): readonly object[] {
  if (typeof querystring !== 'object' || querystring === null) return [];
  const properties: unknown = 'properties' in querystring ? querystring.properties : {};
  const required: unknown = 'required' in querystring ? querystring.required : [];
  return Object.entries(Object(properties)).map(([name, declared]) => {
    const { description, schema = declared } = QUERY[name] ?? {};
    return {
      name,
      in: 'query',
      required: Array.isArray(required) && required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...(isFlag(schema) ? { allowEmptyValue: true } : {}),
      schema,
    };
  });
}

function responses(
  operation: Operation,
  config: DescribedRoute['config'],
  hasBody: boolean,
): object {
  const answers: Record<string, Answer | Schema> = { default: refToFailure('Failure') };
  for (const reason of Object.keys(operation.answers) as SuccessReason[]) {
    const answer = operation.answers[reason];
    if (answer !== undefined) answers[codeOf(reason)] = answer;
  }
  for (const reason of failuresOf(operation, config, hasBody)) {
    answers[codeOf(reason)] = refToFailure(reason);
  }
  return answers;
}

const OF_BODIES = [
  'BadRequest',
  'RequestTimeout',
  'PayloadTooLarge',
  'UnsupportedMediaType',
] as const;

function failuresOf(
  { failures = [] }: Operation,
  config: DescribedRoute['config'],
  hasBody: boolean,
): readonly FailureReason[] {
  const access = config?.access;
  return [
    ...(access === 'none' ? [] : (['Unauthorized'] as const)),
    ...(access === 'none' || access === undefined ? [] : (['Forbidden'] as const)),
    ...(hasBody ? OF_BODIES : []),
    ...failures,
  ];
}
