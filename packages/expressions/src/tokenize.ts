/** Lexer of the expression language (wire facts 6.1). */
import { dictionary } from '@tutti/manifests';
import { ExpressionError, expressionError } from './expression-error.ts';

interface TokenBase {
  /** Text of the token in the source. */
  readonly text: string;
  /** Counted from 0. */
  readonly at: number;
}

export type Token = TokenBase &
  (
    | { readonly type: 'word' | 'symbol' | 'end' }
    | { readonly type: 'literal'; readonly value: string | number }
  );

const SPACE = /\s*/y;
const WORD = /[a-zA-Z_][a-zA-Z0-9_-]*/y;
const SYMBOL = /==|!=|<=|>=|~=|&&|\|\||[!<>[\](),.]/y;
const STRING = /'(?:[^']|'')*'(?!')/y;
/** An exponent is not part of the oldest definition, but documented; what follows must not continue the number. */
const NUMBER = /(?:0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![a-zA-Z0-9_.])/y;

const HINTS: Readonly<Record<string, string>> = dictionary<string>({
  "'": 'the string that begins here has no end',
  '"': 'strings are written in single quotes, not double quotes',
  '=': 'unexpected "=" (equality is "==")',
  '&': 'unexpected "&" (conjunction is "&&")',
  '|': 'unexpected "|" (disjunction is "||")',
  '~': 'unexpected "~" (a pattern is matched with "~=")',
});

/** The tokens of an expression, of which the last has the type `end`; throws `Invalid`. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  tokenizeInto(tokens, source);
  return tokens;
}

/** The tokens before the first text that is no token, and an empty symbol in its place. */
export function tokensBeforeMistake(source: string): readonly Token[] {
  const tokens: Token[] = [];
  try {
    tokenizeInto(tokens, source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    tokens.push({ type: 'symbol', text: '', at: error.at });
  }
  return tokens;
}

function tokenizeInto(tokens: Token[], source: string): void {
  let at = skipSpace(source, 0);
  while (at < source.length) {
    const token = readToken(source, at);
    tokens.push(token);
    at = skipSpace(source, at + token.text.length);
  }
  tokens.push({ type: 'end', text: '', at });
}

function readToken(source: string, at: number): Token {
  const word = match(WORD, source, at);
  if (word !== null) return { type: 'word', text: word, at };
  const number = match(NUMBER, source, at);
  if (number !== null) return { type: 'literal', text: number, value: Number(number), at };
  const string = match(STRING, source, at);
  if (string !== null) return { type: 'literal', text: string, value: unquote(string), at };
  const symbol = match(SYMBOL, source, at);
  if (symbol !== null) return { type: 'symbol', text: symbol, at };
  throw expressionError(source, at, problemAt(source, at));
}

function problemAt(source: string, at: number): string {
  const piece = /^[\w.-]{1,20}|^./su.exec(source.slice(at, at + 20))?.[0] ?? '';
  return HINTS[piece] ?? `unexpected ${JSON.stringify(piece)}`;
}

function unquote(string: string): string {
  return string.slice(1, -1).replaceAll("''", "'");
}

function skipSpace(source: string, at: number): number {
  return at + (match(SPACE, source, at)?.length ?? 0);
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}
