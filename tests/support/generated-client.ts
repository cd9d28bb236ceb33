/**
 * A client made from an OpenAPI document at run time, which knows only that document. It refuses requests that the document does
 * not allow, and answers that it does not describe.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface ClientCall {
  /** Parameters by name, wherever the document says that they go. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** JSON documents and text are written as their media type wants it; form fields are an object. */
  readonly body?: unknown;
  /** A media type of the operation; by default its first one. */
  readonly mediaType?: string;
}

export interface ClientAnswer {
  readonly code: number;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

export interface GeneratedClient {
  readonly operationIds: readonly string[];
  call(operationId: string, request?: ClientCall): Promise<ClientAnswer>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Fields;
  /** Path of keys to the operation from the top of the document. */
  readonly keys: readonly string[];
}

const ID = 'doc:interface';

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];
const pointer = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export function generateClient(document: Fields, url: string, token: string): GeneratedClient {
  const operations = new Map(
    operationsOf(document).map((placed) => [String(placed.operation.operationId), placed]),
  );
  const check = createCheck(document);
  return {
    operationIds: [...operations.keys()],
    call: async (operationId, request = {}) => {
      const placed = operations.get(operationId);
      if (placed === undefined) throw new Error(`No operation ${operationId}.`);
      const { target, init } = requestOf(placed, request, check);
      const headers = { ...init.headers, authorization: `Bearer ${token}` };
      const response = await fetch(`${url}${target}`, { ...init, headers });
      return readAnswer(document, placed, response, check);
    },
  };
}

function operationsOf(document: Fields): readonly Placed[] {
  return Object.entries(fieldsOf(document.paths)).flatMap(([path, methods]) =>
    Object.entries(fieldsOf(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: fieldsOf(operation),
      keys: ['paths', path, method],
    })),
  );
}

/** Throws when a value does not fit the schema at a place of the document. */
type Check = (what: string, keys: readonly string[], value: unknown) => void;

function createCheck(document: Fields): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: ID, ...document });
  return (what, keys, value) => {
    const validate = ajv.compile({ $ref: `${ID}#${encodeURI(pointer(keys))}` });
    if (!validate(value)) throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`);
  };
}

function requestOf({ path, method, operation, keys }: Placed, request: ClientCall, check: Check) {
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  const given = { ...request.parameters };
  let target = path;
  for (const [index, { name: key, in: place, required }] of listOf(
    operation.parameters,
  ).entries()) {
    const name = String(key);
    const value = given[name];
    delete given[name];
    if (value === undefined && required === true) throw new Error(`Parameter ${name} is missing.`);
    if (value === undefined) continue;
    check(`parameter ${name}`, [...keys, 'parameters', String(index), 'schema'], value);
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query') query.set(name, String(value));
    if (place === 'header') headers[name] = String(value);
  }
  const [unknown] = Object.keys(given);
  if (unknown !== undefined) throw new Error(`No parameter ${unknown}.`);
  const payload = payloadOf({ operation, keys }, request, check);
  const init = {
    method: method.toUpperCase(),
    ...payload,
    headers: { ...headers, ...payload.headers },
  };
  return { target: query.size === 0 ? target : `${target}?${query}`, init };
}

function payloadOf(
  { operation, keys }: Pick<Placed, 'operation' | 'keys'>,
  { body, mediaType }: ClientCall,
  check: Check,
): { readonly headers: Record<string, string>; readonly body?: FormData | string } {
  if (body === undefined) return { headers: {} };
  const content = fieldsOf(fieldsOf(operation.requestBody).content);
  const type = mediaType ?? Object.keys(content)[0] ?? '';
  if (!Object.hasOwn(content, type)) throw new Error(`No body of the type ${type}.`);
  check(`body ${type}`, [...keys, 'requestBody', 'content', type, 'schema'], body);
  // The writer of a form chooses its boundary.
  if (type === 'multipart/form-data') return { headers: {}, body: formOf(fieldsOf(body)) };
  return { headers: { 'content-type': type }, body: JSON.stringify(body) };
}

function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, value instanceof Blob ? value : String(value));
  }
  return form;
}

async function readAnswer(
  document: Fields,
  { operation, keys }: Placed,
  response: Response,
  check: Check,
): Promise<ClientAnswer> {
  const text = await response.text();
  const answers = fieldsOf(operation.responses);
  const code = Object.hasOwn(answers, String(response.status))
    ? String(response.status)
    : 'default';
  const place = resolved(answers[code], [...keys, 'responses', code]);
  const content = fieldsOf(at(document, place).content);
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const known = Object.keys(content).find((name) => name === type || name === '*/*');
  const what = `${operation.operationId} ${response.status} ${type}`;
  if (known === undefined && text !== '') throw new Error(`${what} is not described.`);
  const body: unknown = /\bjson$/.test(type) && text !== '' ? JSON.parse(text) : text;
  if (known !== undefined) check(what, [...place, 'content', known, 'schema'], body);
  return { code: response.status, body };
}

/** The path of an answer behind a reference. */
function resolved(answer: unknown, keys: readonly string[]): readonly string[] {
  const { $ref: reference } = fieldsOf(answer);
  return typeof reference === 'string' ? reference.replace(/^#\//, '').split('/') : keys;
}

function at(document: Fields, keys: readonly string[]): Fields {
  return keys.reduce<Fields>((value, key) => fieldsOf(value[key]), document);
}
