/** YAML from outside: bounded, without custom tags, and with the place of everything that is wrong. */
import type { Document, LineCounter, ParsedNode, Scalar, YAMLError } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import type { DocumentPath, ProblemPlace, TextPiece } from './problem.ts';
import { type SourceSpan, spanBetween, YamlPlaces } from './yaml-places.ts';

/** The library that reads YAML: it is large, so whoever needs it loads it when it is needed. */
export type YamlLibrary = typeof import('yaml');

export interface YamlDocument {
  readonly value: unknown;
  /** Where in the text a problem is: at the value, at the key, or at the nearest value around. */
  spanOf(place: ProblemPlace): SourceSpan;
  /** The line of it, from 1. */
  lineOf(path: DocumentPath, key?: string, piece?: TextPiece): number;
}

export interface YamlProblem {
  readonly message: string;
  /** Null for what concerns the document as a whole. */
  readonly span: SourceSpan | null;
  readonly isTooLarge: boolean;
}

export interface YamlLimits {
  readonly lengthMax: number;
}

export type YamlReading =
  | { readonly ok: true; readonly document: YamlDocument }
  /** At least one problem, in the order of the text. */
  | { readonly ok: false; readonly problems: readonly YamlProblem[] };

/**
 * Reads one YAML 1.2 document (JSON is one too). What is refused, with its place: syntax errors, duplicate keys, custom tags, a
 * second document; and documents that are too large, too deep, or multiply themselves by references.
 */
export function readYaml(
  yaml: YamlLibrary,
  text: string,
  { lengthMax }: YamlLimits = { lengthMax: DOCUMENT_LIMITS.yamlLength },
): YamlReading {
  if (text.length > lengthMax) return refused([tooLarge(lengthMax)]);
  const lines = new yaml.LineCounter();
  try {
    return readWithin(yaml, text, lines);
  } catch (error) {
    const problem = problemOfReader(error);
    if (problem === null) throw error;
    return refused([problem]);
  }
}

function readWithin(yaml: YamlLibrary, text: string, lines: LineCounter): YamlReading {
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    strict: true,
    stringKeys: true,
    // The reader compares every key with every other, which takes minutes for a large map; see `duplicateKeys`.
    uniqueKeys: false,
    // Quieter levels would let a second document pass.
    logLevel: 'error',
  });
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) return refused(errors.map((error) => syntaxProblem(error, text, lines)));
  const duplicates = duplicateKeys(yaml, document);
  if (duplicates.length > 0) {
    return refused(duplicates.map((key) => duplicateProblem(key, text, lines)));
  }
  const value: unknown = document.toJS({ maxAliasCount: DOCUMENT_LIMITS.yamlAliases });
  const misshapen = shapeProblem(value);
  if (misshapen !== null) return refused([misshapen]);
  const places = new YamlPlaces(yaml, document, text, lines);
  return {
    ok: true,
    document: {
      value,
      spanOf: (place) => places.spanOf(place),
      lineOf: (path, key, piece) =>
        places.spanOf({
          path,
          ...(key === undefined ? {} : { key }),
          ...(piece === undefined ? {} : { piece }),
        }).line,
    },
  };
}

const refused = (problems: readonly YamlProblem[]): YamlReading => ({
  ok: false,
  problems: problems.toSorted((left, right) => order(left.span, right.span)),
});

function order(left: SourceSpan | null, right: SourceSpan | null): number {
  if (left === null || right === null) return 0;
  return left.line - right.line || left.column - right.column;
}

const problem = (message: string, span: SourceSpan | null = null): YamlProblem => ({
  message,
  span,
  isTooLarge: false,
});

const tooLarge = (lengthMax: number): YamlProblem => ({
  message: `A YAML document may have ${lengthMax} characters at most.`,
  span: null,
  isTooLarge: true,
});

const tooDeep = (): YamlProblem =>
  problem(`values may be nested ${DOCUMENT_LIMITS.depth} levels deep at most`);

/** The reader descends recursively, so only the end of the stack tells that a document is far too deep. */
function problemOfReader(error: unknown): YamlProblem | null {
  if (error instanceof RangeError) return tooDeep();
  // What is found only when references are resolved, such as a merge of what is no map, has no class of its own.
  const isAboutDocument =
    error instanceof ReferenceError || (error instanceof Error && error.constructor === Error);
  return isAboutDocument ? problem(error.message) : null;
}

function syntaxProblem(error: YAMLError, text: string, lines: LineCounter): YamlProblem {
  if (error.code === 'RESOURCE_EXHAUSTION') return tooDeep();
  // The reader's own sentence gives advice to programmers.
  const message =
    error.code === 'MULTIPLE_DOCS' ? 'a second document begins' : error.message.replace(/\.$/, '');
  return problem(message, spanBetween(error.pos[0], error.pos[1], text, lines));
}

function duplicateProblem(key: Scalar, text: string, lines: LineCounter): YamlProblem {
  const [start, end] = key.range ?? [0, 0];
  const message = `the key "${String(key.value)}" is given twice`;
  return problem(message, spanBetween(start, end, text, lines));
}

/** May stand several times in a map: each names values to take over. */
const MERGE_KEY = '<<';

function duplicateKeys(
  yaml: YamlLibrary,
  document: Document.Parsed<ParsedNode>,
): readonly Scalar[] {
  const duplicates: Scalar[] = [];
  yaml.visit(document, {
    Map: (_, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!yaml.isScalar(key) || key.value === MERGE_KEY) continue;
        if (seen.has(key.value)) duplicates.push(key);
        seen.add(key.value);
      }
    },
  });
  return duplicates;
}

/**
 * Bounds what the document became once its references were resolved: each reader after this one sees a tree, in which a
 * value that is named ten times counts ten times.
 */
function shapeProblem(root: unknown): YamlProblem | null {
  let count = 0;
  const visit = (value: unknown, depth: number): YamlProblem | null => {
    count += 1;
    if (count > DOCUMENT_LIMITS.values) {
      return problem(`it may have ${DOCUMENT_LIMITS.values} values at most`);
    }
    if (typeof value !== 'object' || value === null) return null;
    if (depth > DOCUMENT_LIMITS.depth) return tooDeep();
    if (Object.hasOwn(value, '__proto__')) return problem('the key "__proto__" is not allowed');
    for (const child of Object.values(value)) {
      const found = visit(child, depth + 1);
      if (found !== null) return found;
    }
    return null;
  };
  return visit(root, 1);
}
