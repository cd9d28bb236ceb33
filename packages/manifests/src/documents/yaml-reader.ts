/** Reads YAML from outside: with limits, without custom tags, and with the place of each problem. */
import type { Document, ParsedNode } from 'yaml';
import { DOCUMENT_LIMITS } from './document-limits.ts';
import { misshapenPlace, TOO_DEEP } from './document-shape.ts';
import type { ProblemPlace } from './problem.ts';
import { type SourceSpan, TextLines } from './text-lines.ts';
import type { UnsurePlaces } from './unsure-places.ts';
import { mendYaml, type YamlFlaw, yamlFlaws } from './yaml-flaws.ts';
import { YamlPlaces } from './yaml-places.ts';
import { wrongReferences } from './yaml-references.ts';
import { type SyntaxMistake, syntaxMistakes } from './yaml-syntax.ts';

/** The library that reads YAML. It is large, so callers load it on demand. */
export type YamlLibrary = typeof import('yaml');

type ParsedDocument = Document.Parsed<ParsedNode>;

export interface YamlDocument {
  readonly value: unknown;
  /** The place of a problem in the text: the value, the key, or the nearest value around it. */
  spanOf(place: ProblemPlace): SourceSpan;
}

/** A refused document, as far as it can be read. Further checks find its other problems. */
export interface FlawedYamlDocument extends YamlDocument {
  /** True where the author's intention is unknown, so that a problem there may be none. */
  isUnsure(place: ProblemPlace): boolean;
}

export interface YamlProblem {
  readonly message: string;
  /** Null for a problem of the whole document. */
  readonly span: SourceSpan | null;
  readonly isTooLarge: boolean;
}

export interface YamlLimits {
  readonly lengthMax: number;
}

export type YamlReading =
  | { readonly ok: true; readonly document: YamlDocument }
  | {
      readonly ok: false;
      /** At least one, in the order of the text. */
      readonly problems: readonly YamlProblem[];
      /** Null when the document cannot be read. */
      readonly document: FlawedYamlDocument | null;
    };

/**
 * Reads one YAML 1.2 document (JSON is one too). It refuses syntax errors, duplicate keys, custom tags and a second document, each with its
 * place. It also refuses documents that are too large, too deep, or multiply themselves by references. If only values are wrong, the result
 * also has the document.
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
  const source = { yaml, document: document.result, text, lines, tooDeep };
  const mistakes = syntaxMistakes(yaml, document.result, text, lines);
  const flaws = mistakes.every(isOfTag) ? yamlFlaws(yaml, document.result) : [];
  if (mistakes.length + flaws.length > 0) return refusedSource(source, mistakes, flaws);
  const read = readSource(source);
  if (!('problems' in read)) return { ok: true, document: read };
  const isOfReferences = wrongReferences(yaml, document.result).length > 0;
  return isOfReferences ? refusedSource(source, [], []) : refused(read.problems);
}

interface YamlSource {
  readonly yaml: YamlLibrary;
  readonly document: ParsedDocument;
  readonly text: string;
  readonly lines: TextLines;
  readonly tooDeep: () => YamlProblem;
}

/** The values of a document without syntax errors, or the problems of the values. */
function readSource(
  source: YamlSource,
): YamlDocument | { readonly problems: readonly YamlProblem[] } {
  const { yaml, document, text, lines, tooDeep } = source;
  const value = fromLibrary<unknown>(
    () => document.toJS({ maxAliasCount: DOCUMENT_LIMITS.yamlAliases }),
    tooDeep,
  );
  if ('problem' in value) return { problems: referenceProblems(yaml, document, lines, value) };
  const places = new YamlPlaces(yaml, document, text, lines);
  const misshapen = misshapenPlace(value.result);
  return misshapen === null
    ? placed(value.result, places)
    : { problems: [problem(misshapen.message, places.spanOf(misshapen))] };
}

/** An unknown tag prevents nothing else. */
const isOfTag = ({ tagAt }: SyntaxMistake): boolean => tagAt !== undefined;

function refusedSource(
  source: YamlSource,
  mistakes: readonly SyntaxMistake[],
  flaws: readonly YamlFlaw[],
): YamlReading {
  const { yaml, document, lines } = source;
  const ofSyntax = mistakes.map((mistake) => syntaxProblem(mistake, source));
  if (!mistakes.every(isOfTag)) return refused(ofSyntax);
  const ofValues = [...flaws, ...wrongReferences(yaml, document)].map(({ message, range }) =>
    problem(message, lines.spanOf(...range)),
  );
  const tagsAt = mistakes.flatMap(({ tagAt }) => (tagAt === undefined ? [] : [tagAt]));
  const unsure = mendYaml(yaml, document, tagsAt);
  const read = readSource(source);
  return 'problems' in read
    ? refused(withoutRepeated([...ofSyntax, ...ofValues, ...read.problems]))
    : refused([...ofSyntax, ...ofValues], flawed(read, unsure));
}

const flawed = (document: YamlDocument, unsure: UnsurePlaces): FlawedYamlDocument => ({
  ...document,
  isUnsure: (place) => unsure.includes(place),
});

/** Drops problems that both searches found, for instance a wrong merge. */
function withoutRepeated(problems: readonly YamlProblem[]): readonly YamlProblem[] {
  const seen = new Set<string>();
  return problems.filter((each) => {
    const text = JSON.stringify(each);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

/** The problems of references, with their places where these are known. */
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
  return withoutStacks(() =>
    yaml.parseDocument(text, {
      merge: true,
      prettyErrors: false,
      strict: true,
      stringKeys: true,
      // The reader compares every key with every other, which takes minutes for a large map; see `duplicateKeys`.
      uniqueKeys: false,
      // Without lists of pairs, sets, bytes and times: such values would become other values, or nothing.
      resolveKnownTags: false,
      // Quieter levels would let a second document pass.
      logLevel: 'error',
    }),
  );
}

/** The library makes an `Error` of each mistake. Collecting its stack, which nobody reads, takes longer than reading the document. */
function withoutStacks<T>(read: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return read();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function placed(value: unknown, places: YamlPlaces): YamlDocument {
  return { value, spanOf: (place) => places.spanOf(place) };
}

const refused = (
  problems: readonly YamlProblem[],
  document: FlawedYamlDocument | null = null,
): YamlReading => ({
  ok: false,
  problems: problems.toSorted((left, right) => order(left.span, right.span)),
  document,
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

/** Its place is the first character beyond the limit, or the last character before it that is no blank. */
function tooLarge(text: string, lengthMax: number): YamlProblem {
  const start = text.slice(0, lengthMax + 1).trimEnd().length - 1;
  // Later lines are not counted: the text may have any length.
  const lines = new TextLines(text.slice(0, lengthMax + 1));
  return {
    message: `A YAML document may have ${lengthMax} characters at most; a larger one can be sent as JSON.`,
    span: lines.spanOf(Math.max(0, start), lengthMax + 1),
    isTooLarge: true,
  };
}

/**
 * The place where lists and maps are nested too deep. The library builds the document recursively, and loses the place. Its parser,
 * which runs before, does not recurse. Null where the document is too deep for other reasons.
 */
function depthSpan(yaml: YamlLibrary, text: string, lines: TextLines): SourceSpan | null {
  const parser = new yaml.Parser();
  for (const lexeme of new yaml.Lexer().lex(text)) {
    // The results are ignored, but the generator only works while it is read.
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

/** Calls only the library, since errors of our own code are no problems of a document. */
function fromLibrary<T>(
  read: () => T,
  tooDeep: () => YamlProblem,
): { readonly result: T } | { readonly problem: YamlProblem } {
  try {
    return { result: read() };
  } catch (error) {
    // The library descends recursively, so a document that is far too deep ends the stack.
    const found = error instanceof RangeError ? tooDeep() : problemOfLibrary(error);
    if (found === null) throw error;
    return { problem: found };
  }
}

function problemOfLibrary(error: unknown): YamlProblem | null {
  // The library throws a plain `Error` for problems that it finds while it resolves references. A merge of a text is one.
  const isAboutDocument =
    error instanceof ReferenceError || (error instanceof Error && error.constructor === Error);
  return isAboutDocument ? problem(error.message) : null;
}

function syntaxProblem(mistake: SyntaxMistake, { yaml, text, lines }: YamlSource): YamlProblem {
  const { message, range, isExact = false, isTooDeep = false } = mistake;
  if (isTooDeep) return problem(message, depthSpan(yaml, text, lines) ?? lines.spanOf(...range));
  return problem(message, isExact ? lines.exactSpanOf(...range) : lines.spanOf(...range));
}
