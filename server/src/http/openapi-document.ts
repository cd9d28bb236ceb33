/** The OpenAPI 3.1 document: what the routes declare, and what is known of their operations. */
import { type FailureReason, REASON_CODES, type SuccessReason, status } from '@tutti/manifests';
import type { RouteOptions } from 'fastify';
import { SCHEMAS } from './openapi-schemas.ts';
import * as words from './openapi-words.ts';
import {
  type Content,
  JSON_TYPE,
  json,
  type Operation,
  type OtherAnswer,
  refTo,
  type Schema,
  type StatusAnswer,
  text,
  uuid,
} from './openapi-words.ts';

/** The documented parts of a route. */
export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

export interface OpenApiOptions {
  readonly version: string;
}

export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** The OpenAPI document, in the order of paths, since the order of registration is an accident. */
export function openApiDocument(
  routes: readonly DescribedRoute[],
  { version }: OpenApiOptions,
): OpenApiDocument {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, route } of sorted(routes)) {
    const operation = route.schema?.operation?.(words) ?? UNDESCRIBED;
    const described = describe(path, route, operation);
    const { HEAD: headId, [method]: operationId = operation.id } = operation.idOf ?? {};
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { ...described, operationId },
      ...(headId === undefined ? {} : { head: asHead(described, headId) }),
    };
  }
  return { ...HEAD, info: { ...HEAD.info, version }, paths, components: COMPONENTS };
}

/** Documentation of an undescribed route; a test finds it by its missing id. */
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
    { name: 'testledger', description: 'The history of tests, and what it says about them' },
    { name: 'providers', description: 'The functions that steps of workflows can call' },
    { name: 'insightcollector', description: 'Reports' },
    { name: 'eventbus', description: 'Publications and subscriptions' },
    { name: 'agentchannel', description: 'Execution agents' },
    { name: 'ui', description: 'Sessions of browsers' },
    { name: 'common', description: 'The server itself' },
  ],
} as const;

const FAILURES: Readonly<Record<FailureReason, string>> = {
  BadRequest: 'The request is malformed.',
  Unauthorized: 'The token is missing, invalid or not recognised.',
  Forbidden: 'The token does not allow this.',
  NotFound: 'What is asked for does not exist.',
  MethodNotAllowed: 'The path knows other methods only.',
  RequestTimeout: 'The body came too slowly, or took too long.',
  AlreadyExists: 'It exists already.',
  Conflict: 'It does not fit with what is there.',
  PayloadTooLarge: 'The body, or a part of it, is too large.',
  UnsupportedMediaType: 'The body has a content type that is not understood here.',
  RangeNotSatisfiable: 'Nothing is in the range.',
  Invalid: 'The request is understood, but not valid; `message` or `details.error` says why.',
  TooManyRequests: 'There are too many of them; nothing was done.',
  InternalError: 'A fault of the server.',
  ServiceUnavailable:
    'The server has more to do than it can, or its disk is full; nothing was done.',
};

const PASSING: readonly FailureReason[] = ['TooManyRequests', 'ServiceUnavailable'];
const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer' },
  },
} as const;

function failureAnswer(reason: FailureReason): OtherAnswer {
  const description = `${FAILURES[reason]} Status manifest: ${reason}.`;
  const headers = PASSING.includes(reason) ? { headers: RETRY_AFTER } : {};
  return {
    description,
    ...headers,
    content: json(refTo('Status'), status(reason, FAILURES[reason])),
  };
}

/** For reasons that every operation may have. */
const OTHER_FAILURES: OtherAnswer = {
  description: 'Any other failure: a Status manifest.',
  content: { [JSON_TYPE]: { schema: refTo('Status') } },
};

/** Answers of failures by their reasons. Operations refer to them. */
const FAILURE_ANSWERS: Readonly<Record<string, OtherAnswer>> = {
  // The reasons are the keys.
  ...Object.fromEntries(
    (Object.keys(FAILURES) as FailureReason[]).map((reason) => [reason, failureAnswer(reason)]),
  ),
  Failure: OTHER_FAILURES,
};

const refToFailure = (reason: FailureReason | 'Failure'): Schema => ({
  $ref: `#/components/responses/${reason}`,
});

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
  const { summary, tags, description, parameters = {} } = schema ?? {};
  const { body, headers = {}, required = [] } = operation;
  const descriptions = [description, operation.description].filter((part) => part !== undefined);
  return {
    operationId: operation.id,
    ...(summary === undefined ? {} : { summary }),
    ...(descriptions.length === 0 ? {} : { description: descriptions.join(' ') }),
    tags: tags ?? [],
    ...(config?.access === 'none' ? { security: [] } : {}),
    ...(typeof config?.access === 'object' ? { 'x-right': config.access } : {}),
    parameters: [
      ...namesInPath(path).map(pathParameter),
      ...Object.entries(parameters).map((each) => queryParameter(each, required)),
      ...Object.entries(headers).map(headerParameter),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: responses({ path, parameters, operation, config }),
  };
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

const headerParameter = ([name, description]: readonly [string, string]): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: text,
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

function queryParameter(
  [name, declared]: readonly [string, Schema],
  required: readonly string[],
): object {
  const { description, schema = declared } = QUERY[name] ?? {};
  return {
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    // A flag may stand alone, without a value.
    ...(schema.type === 'boolean' ? { allowEmptyValue: true } : {}),
    schema,
  };
}

interface Answering {
  readonly path: string;
  readonly parameters: Readonly<Record<string, Schema>>;
  readonly operation: Operation;
  readonly config: DescribedRoute['config'];
}

function responses(answering: Answering): object {
  const { operation } = answering;
  const answers: Record<string, object> = { default: refToFailure('Failure') };
  for (const reason of Object.keys(operation.answers) as SuccessReason[]) {
    const answer = operation.answers[reason];
    if (answer !== undefined) answers[REASON_CODES[reason]] = answerOf(reason, answer);
  }
  for (const reason of failuresOf(answering)) {
    answers[REASON_CODES[reason]] = refToFailure(reason);
  }
  return answers;
}

/** A Status manifest of one reason has a whole one as example. */
function answerOf(reason: SuccessReason, answer: StatusAnswer | OtherAnswer): object {
  if (!('message' in answer)) return answer;
  const { message, schema: details = { type: 'null' }, example = null, ...more } = answer;
  const properties = {
    reason: { type: 'string', const: reason },
    code: { type: 'integer', const: REASON_CODES[reason] },
    details,
  };
  const schema = { allOf: [refTo('Status'), { type: 'object', properties }] };
  const content: Content = {
    ...json(schema, status(reason, message, example)),
    ...more.content,
  };
  return { description: `Status manifest: ${reason}`, ...more, content };
}

const OF_BODIES = [
  'BadRequest',
  'RequestTimeout',
  'PayloadTooLarge',
  'UnsupportedMediaType',
] as const;

/** A thing in the path may be missing, and a parameter that is no flag may be wrong. */
function failuresOf({
  path,
  parameters,
  operation: { body, headers = {}, failures = [] },
  config,
}: Answering): readonly FailureReason[] {
  const access = config?.access;
  return [
    ...(access === 'none' ? [] : (['Unauthorized'] as const)),
    ...(access === 'none' || access === undefined ? [] : (['Forbidden'] as const)),
    ...(path.includes('{') ? (['NotFound'] as const) : []),
    ...(Object.values(parameters).some(({ type }) => type !== 'boolean')
      ? (['Invalid'] as const)
      : []),
    ...('Range' in headers ? (['RangeNotSatisfiable'] as const) : []),
    ...(body === undefined ? [] : OF_BODIES),
    ...failures,
  ];
}
