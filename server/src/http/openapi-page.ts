/** The description of the interface as one page of HTML: no scripts, nothing loaded from elsewhere. */
import { createHash } from 'node:crypto';
import type { OpenApiDocument } from './openapi-document.ts';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a3f4a); --soft: light-dark(#f4f6f9, #1d2026); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { margin: 0; } h2 { margin: 2rem 0 .5rem; } h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary b { display: inline-block; min-width: 4.5rem; }
pre { background: var(--soft); border-radius: 6px; padding: .6rem; overflow-x: auto; font-size: .85rem; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top; }
a { color: inherit; }
`;

/** The style is named by its hash, so that nothing else can be a style; everything but it is forbidden. */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

export function openApiPage(document: OpenApiDocument): string {
  const { title, description } = fields(document.info);
  const name = escaped(title);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${name}: HTTP interface</title><style>${STYLE}</style></head><body>`,
    `<h1>${name}: HTTP interface</h1><p>${escaped(description)}</p>`,
    '<p>For programs: <code>GET /openapi.json</code> (OpenAPI 3.1).</p>',
    ...list(document.tags).map((tag) => section(document, fields(tag))),
    '<h2>Documents</h2>',
    ...Object.entries(fields(fields(document.components).schemas)).map(schemaBlock),
    '</body></html>\n',
  ].join('\n');
}

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (value: unknown): string =>
  String(value ?? '').replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);

function section(document: OpenApiDocument, tag: Fields): string {
  const operations = Object.entries(fields(document.paths)).flatMap(([path, item]) =>
    METHODS.map((method) => ({ path, method, operation: fields(fields(item)[method]) })),
  );
  const ofTag = operations.filter(({ operation }) => list(operation.tags).includes(tag.name));
  const heading = `<h2>${escaped(tag.name)}</h2><p>${escaped(tag.description)}</p>`;
  return [heading, ...ofTag.map(operationBlock)].join('\n');
}

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Fields;
}

function operationBlock({ path, method, operation }: Placed): string {
  const id = escaped(operation.operationId);
  return [
    `<details id="${id}"><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code>`,
    ` ${escaped(operation.summary)}</summary>`,
    operation.description === undefined ? '' : `<p>${escaped(operation.description)}</p>`,
    parameterTable(list(operation.parameters)),
    ...contents('Body', fields(operation.requestBody)),
    ...Object.entries(fields(operation.responses)).flatMap(answerBlock),
    '</details>',
  ].join('\n');
}

function parameterTable(parameters: readonly unknown[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters
    .map(fields)
    .map(
      ({ name, in: place, description, schema }) =>
        `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}, ${typeOf(fields(schema))}</td>` +
        `<td>${escaped(description)}</td></tr>`,
    );
  return `<h3>Parameters</h3><table>${rows.join('')}</table>`;
}

const typeOf = ({ type, enum: choices }: Fields): string =>
  Array.isArray(choices) ? choices.map((choice) => escaped(choice)).join(' | ') : escaped(type);

/** All failures have the same form: a Status manifest, with the reason at the end of their reference. */
function answerBlock([code, value]: readonly [string, unknown]): readonly string[] {
  const { $ref: reference, ...answer } = fields(value);
  const meaning = answer.description ?? String(reference).split('/').at(-1);
  return [`<h3>${escaped(code)}</h3><p>${escaped(meaning)}</p>`, ...contents('', answer)];
}

function contents(title: string, { content }: Fields): readonly string[] {
  return Object.entries(fields(content)).map(([type, value]) => {
    const { schema, example } = fields(value);
    const heading = `<h3>${title} <code>${escaped(type)}</code> ${references(schema)}</h3>`;
    return example === undefined ? heading : `${heading}<pre>${escaped(shown(example))}</pre>`;
  });
}

const shown = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);

/** Links to the documents that a schema names. */
function references(schema: unknown): string {
  const found = JSON.stringify(schema ?? null).matchAll(/#\/components\/schemas\/(\w+)/g);
  const names = new Set([...found].map(([, name = '']) => name));
  return [...names].map((name) => `<a href="#schema-${name}">${name}</a>`).join(' ');
}

const schemaBlock = ([name, schema]: readonly [string, unknown]): string =>
  `<details id="schema-${escaped(name)}"><summary>${escaped(name)}</summary>` +
  `<pre>${escaped(JSON.stringify(schema, null, 2))}</pre></details>`;
