/** YAML from outside: bounded, without custom tags, and with the place of everything that is wrong. */
import type { Document, ParsedNode, Scalar, YAMLError } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import { misshapenPlace, TOO_DEEP } from './document-shape.ts';
import type { ProblemPlace } from './problem.ts';
import { type SourceSpan, TextLines } from './text-lines.ts';
import { YamlPlaces } from './yaml-places.ts';
import { wrongReferences } from './yaml-references.ts';

/** The library that reads YAML: it is large, so whoever needs it loads it when it is needed. */
export type YamlLibrary = typeof import('yaml');

type ParsedDocument = Document.Parsed<ParsedNode>;

export interface YamlDocument {
  readonly value: unknown;
  /** Where in the text a problem is: at the value, at the key, or at the nearest value around. */
  spanOf(place: ProblemPlace): SourceSpan;
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
  if (text.length > lengthMax) return refused([tooLarge(text, lengthMax)]);
  const lines = new TextLines(text);
  const tooDeep = () => problem(TOO_DEEP, depthSpan(yaml, text, lines));
  const document = fromLibrary(() => parse(yaml, text), tooDeep);
  if ('problem' in document) return refused([document.problem]);
  const problems = problemsOf(yaml, document.result, lines, text);
  if (problems.length > 0) return refused(problems);
  const value = fromLibrary<unknown>(
    () => document.result.toJS({ maxAliasCount: DOCUMENT_LIMITS.yamlAliases }),
    tooDeep,
  );
  if ('problem' in value) return refused(referenceProblems(yaml, document.result, lines, value));
  const places = new YamlPlaces(yaml, document.result, text, lines);
  const misshapen = misshapenPlace(value.result);
  return misshapen === null
    ? { ok: true, document: placed(value.result, places) }
    : refused([problem(misshapen.message, places.spanOf(misshapen))]);
}

/** What is found when references are resolved, with places where these are known. */
function referenceProblems(
  yaml: YamlLibrary,
  document: ParsedDocument,
  lines: TextLines,
  { problem: ofLibrary }: { readonly problem: YamlProblem },
): readonly YamlProblem[] {
  if (ofLibrary.span !== null) return [ofLibrary];
  const wrong = wrongReferences(yaml, document);
  return wrong.length === 0
    ? [ofLibrary]
    : wrong.map(({ message, range }) => problem(message, lines.spanOf(...range)));
}

function parse(yaml: YamlLibrary, text: string): ParsedDocument {
  return yaml.parseDocument(text, {
    merge: true,
    prettyErrors: false,
    strict: true,
    stringKeys: true,
    // The reader compares every key with every other, which takes minutes for a large map; see `duplicateKeys`.
    uniqueKeys: false,
    // Lists of pairs, sets, bytes, points in time: such values would come out as something else, or as nothing.
    resolveKnownTags: false,
    // Quieter levels would let a second document pass.
    logLevel: 'error',
  });
}

function placed(value: unknown, places: YamlPlaces): YamlDocument {
  return { value, spanOf: (place) => places.spanOf(place) };
}

/** Those of the syntax, else keys that are given twice and numbers that cannot be kept. */
function problemsOf(
  yaml: YamlLibrary,
  document: ParsedDocument,
  lines: TextLines,
  text: string,
): readonly YamlProblem[] {
  const all = [...document.errors, ...document.warnings];
  const tab = all.filter(({ code }) => code === 'TAB_AS_INDENT').toSorted(byPlace)[0];
  // What else is wrong follows from it.
  const errors = tab === undefined ? all : [tab];
  return errors.length > 0
    ? [
        ...errors
          .filter((error) => !isTooDeep(error))
          .map((each) => syntaxProblem(each, lines, text)),
        // It is told by every value that is.
        ...errors
          .filter(isTooDeep)
          .slice(0, 1)
          .map(({ pos }) =>
            problem(TOO_DEEP, depthSpan(yaml, text, lines) ?? lines.spanOf(...pos)),
          ),
      ]
    : [
        ...duplicateKeys(yaml, document).map((key) => duplicateProblem(key, lines)),
        ...changedNumbers(yaml, document).map((number) => numberProblem(number, lines)),
      ];
}

const byPlace = ({ pos: [left] }: YAMLError, { pos: [right] }: YAMLError): number => left - right;

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

/** Its place is the first character that is too much, or the last one before it that is no blank. */
function tooLarge(text: string, lengthMax: number): YamlProblem {
  const start = text.slice(0, lengthMax + 1).trimEnd().length - 1;
  // The lines behind it are not counted: the text may be of any length.
  const lines = new TextLines(text.slice(0, lengthMax + 1));
  return {
    message: `A YAML document may have ${lengthMax} characters at most; a larger one can be sent as JSON.`,
    span: lines.spanOf(Math.max(0, start), lengthMax + 1),
    isTooLarge: true,
  };
}

/**
 * Where lists and maps are too deep in each other. The reader itself descends recursively, and does not say where the stack ended;
 * what it reads first does not. Null where it is too deep for other reasons.
 */
function depthSpan(yaml: YamlLibrary, text: string, lines: TextLines): SourceSpan | null {
  const parser = new yaml.Parser();
  for (const lexeme of new yaml.Lexer().lex(text)) {
    // Nothing is done with what it gives, but it only goes on when it is asked for.
    for (const _ of parser.next(lexeme));
    const isDeep = parser.stack.length > DOCUMENT_LIMITS.depth;
    if (isDeep && parser.stack.filter(isCollection).length > DOCUMENT_LIMITS.depth) {
      return lines.spanOf(parser.offset - lexeme.length, parser.offset);
    }
  }
  return null;
}

const isCollection = ({ type }: { readonly type: string }): boolean =>
  type === 'block-map' || type === 'block-seq' || type === 'flow-collection';

/** Calls nothing of ours, whose errors are no problems of a document. */
function fromLibrary<T>(
  read: () => T,
  tooDeep: () => YamlProblem,
): { readonly result: T } | { readonly problem: YamlProblem } {
  try {
    return { result: read() };
  } catch (error) {
    // The reader descends recursively, so only the end of the stack tells that a document is far too deep.
    const found = error instanceof RangeError ? tooDeep() : problemOfLibrary(error);
    if (found === null) throw error;
    return { problem: found };
  }
}

function problemOfLibrary(error: unknown): YamlProblem | null {
  // What is found only when references are resolved, such as a merge of what is no map, has no class of its own.
  const isAboutDocument =
    error instanceof ReferenceError || (error instanceof Error && error.constructor === Error);
  return isAboutDocument ? problem(error.message) : null;
}

const isTooDeep = ({ code }: YAMLError): boolean => code === 'RESOURCE_EXHAUSTION';

function syntaxProblem(error: YAMLError, lines: TextLines, text: string): YamlProblem {
  const { code, pos } = error;
  const message = messageOf(error, text);
  if (code === 'TAB_AS_INDENT') return problem(message, lines.exactSpanOf(...pos));
  const [start, end] = code === 'BAD_INDENT' ? indented(text, pos[0]) : pos;
  return problem(message, lines.spanOf(start, end));
}

function messageOf({ code, message, pos }: YAMLError, text: string): string {
  switch (code) {
    // The reader's own sentence gives advice to programmers.
    case 'MULTIPLE_DOCS':
      return 'a second document begins';
    case 'TAB_AS_INDENT':
      return 'tabs are not allowed as indentation, use spaces';
    case 'TAG_RESOLVE_FAILED':
      return `the tag ${text.slice(...pos)} cannot be used here, leave it out`;
    default:
      return message.replace(/\.$/, '');
  }
}

/** What has the wrong indentation, where the reader points at the blanks before it. */
function indented(text: string, at: number): readonly [start: number, end: number] {
  const [blanks = ''] = /^\s*/.exec(text.slice(at)) ?? [];
  const start = at + blanks.length;
  const [word = ''] = /^[^\s:]+/.exec(text.slice(start)) ?? [];
  return [start, start + Math.max(1, word.length)];
}

function duplicateProblem(key: Scalar, lines: TextLines): YamlProblem {
  const [start, end] = key.range ?? [0, 0];
  const message = `the key "${String(key.value)}" is given twice`;
  return problem(message, lines.spanOf(start, end));
}

const NUMBER_SHOWN_MAX = 40;

function numberProblem({ range, value, source = '' }: Scalar, lines: TextLines): YamlProblem {
  const [start, end] = range ?? [0, 0];
  const shown = source.length > NUMBER_SHOWN_MAX ? `${source.slice(0, NUMBER_SHOWN_MAX)}…` : source;
  const message = Number.isNaN(value)
    ? `${shown} is no number that can be kept, write a number, or put it in quotes if it is a text`
    : `the number ${shown} is too large to be kept, put it in quotes`;
  return problem(message, lines.spanOf(start, end));
}

const INTEGER = /^[-+]?\d+$/;

/** Integers that would come out with other digits, and what is no number in JSON. */
function changedNumbers(yaml: YamlLibrary, document: ParsedDocument): readonly Scalar[] {
  const changed: Scalar[] = [];
  yaml.visit(document, {
    Scalar: (_, scalar) => {
      const { value, source = '' } = scalar;
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return;
      if (!Number.isFinite(value) || INTEGER.test(source)) changed.push(scalar);
    },
  });
  return changed;
}

/** May stand several times in a map: each names values to take over. */
const MERGE_KEY = '<<';

function duplicateKeys(yaml: YamlLibrary, document: ParsedDocument): readonly Scalar[] {
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
