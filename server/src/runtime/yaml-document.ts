/** YAML from outside: bounded, without custom tags, and with the place of everything that is wrong. */
import { createRequire } from 'node:module';
import { OrchestratorError } from '@tutti/manifests';
import type { Document, LineCounter, ParsedNode, Scalar, YAMLError } from 'yaml';
import { LIMITS } from './limits.ts';

// Loaded when the first document comes: 30 ms and 14 MiB that a server without work does not need.
type Yaml = typeof import('yaml');
const loadYaml = () => createRequire(import.meta.url)('yaml') as Yaml;

/** May stand several times in a map: each names values to take over. */
const MERGE_KEY = '<<';

export type DocumentPath = readonly (string | number)[];

export interface YamlDocument {
  readonly value: unknown;
  /** The line, from 1, of the value at that path or of the nearest value around it; of one of its keys if one is named. */
  lineOf(path: DocumentPath, key?: string): number;
}

export interface YamlLimits {
  readonly lengthMax: number;
}

/**
 * Reads one YAML 1.2 document (JSON is one too). Throws `Invalid` with line and column for syntax errors, duplicate keys,
 * custom tags, a second document, and for documents that are too large, too deep, or multiply themselves by references.
 */
export function parseYaml(
  text: string,
  limits: YamlLimits = { lengthMax: LIMITS.yamlLength },
): YamlDocument {
  if (text.length > limits.lengthMax) throw tooLarge(limits.lengthMax);
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const document = readDocument(() =>
    yaml.parseDocument(text, {
      lineCounter: lines,
      merge: true,
      prettyErrors: false,
      strict: true,
      stringKeys: true,
      // The reader compares every key with every other, which takes minutes for a large map; see `duplicateKey`.
      uniqueKeys: false,
      // Quieter levels would let a second document pass.
      logLevel: 'error',
    }),
  );
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw syntaxError(problem, lines);
  const duplicate = duplicateKey(yaml, document);
  if (duplicate !== null) throw duplicateError(duplicate, lines);
  const value = readDocument<unknown>(() => document.toJS({ maxAliasCount: LIMITS.yamlAliases }));
  checkShape(value);
  const lineAt = (node: unknown) => (hasRange(node) ? lines.linePos(node.range[0]).line : null);
  return {
    value,
    lineOf: (path, key) =>
      lineAt(keyNode(yaml, document, path, key)) ?? lineAt(nearestNode(document, path)) ?? 1,
  };
}

const invalid = (why: string): OrchestratorError =>
  new OrchestratorError('Invalid', `Not a valid YAML document: ${why}`);

const tooLarge = (lengthMax: number): OrchestratorError =>
  new OrchestratorError(
    'PayloadTooLarge',
    `A YAML document may have ${lengthMax} characters at most.`,
  );

const tooDeep = (): OrchestratorError =>
  invalid(`values may be nested ${LIMITS.documentDepth} levels deep at most.`);

/** The reader descends recursively, so only the end of the stack tells that a document is far too deep. */
function readDocument<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep();
    if (isAboutDocument(cause)) throw invalid(`${cause.message}.`);
    throw cause;
  }
}

/** What the reader finds only when it resolves references, such as a merge of what is no map; it has no class of its own. */
const isAboutDocument = (cause: unknown): cause is Error =>
  cause instanceof ReferenceError || (cause instanceof Error && cause.constructor === Error);

function syntaxError(problem: YAMLError, lines: LineCounter): OrchestratorError {
  if (problem.code === 'RESOURCE_EXHAUSTION') return tooDeep();
  const { line, col } = lines.linePos(problem.pos[0]);
  // The reader's own sentence gives advice to programmers.
  const why =
    problem.code === 'MULTIPLE_DOCS'
      ? 'a second document begins'
      : problem.message.replace(/\.$/, '');
  return invalid(`${why} (line ${line}, column ${col}).`);
}

function duplicateError(key: Scalar, lines: LineCounter): OrchestratorError {
  const { line, col } = lines.linePos(key.range?.[0] ?? 0);
  return invalid(`the key "${String(key.value)}" is given twice (line ${line}, column ${col}).`);
}

function duplicateKey(yaml: Yaml, document: Document.Parsed<ParsedNode>): Scalar | null {
  let duplicate: Scalar | null = null;
  yaml.visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key) || key.value === MERGE_KEY) continue;
        if (seen.has(key.value)) {
          duplicate = key;
          return yaml.visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return duplicate;
}

/**
 * Bounds what the document became once its references were resolved: each reader after this one sees a tree, in which a
 * value that is named ten times counts ten times.
 */
function checkShape(root: unknown): void {
  let count = 0;
  const visit = (value: unknown, depth: number): void => {
    count += 1;
    if (count > LIMITS.documentValues) {
      throw invalid(`it may have ${LIMITS.documentValues} values at most.`);
    }
    if (typeof value !== 'object' || value === null) return;
    if (depth > LIMITS.documentDepth) throw tooDeep();
    if (Object.hasOwn(value, '__proto__')) throw invalid('the key "__proto__" is not allowed.');
    for (const child of Object.values(value)) visit(child, depth + 1);
  };
  visit(root, 1);
}

type ParsedDocument = Document.Parsed<ParsedNode>;

const nodeAt = (document: ParsedDocument, path: DocumentPath): unknown =>
  path.length === 0 ? document.contents : document.getIn(path, true);

function nearestNode(document: ParsedDocument, path: DocumentPath): unknown {
  for (let length = path.length; length >= 0; length--) {
    const node = nodeAt(document, path.slice(0, length));
    if (hasRange(node)) return node;
  }
  return null;
}

function keyNode(
  yaml: Yaml,
  document: ParsedDocument,
  path: DocumentPath,
  key: string | undefined,
): unknown {
  const map = nodeAt(document, path);
  if (key === undefined || !yaml.isMap(map)) return null;
  return map.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === key)?.key;
}

function hasRange(node: unknown): node is { readonly range: readonly number[] & { 0: number } } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}
