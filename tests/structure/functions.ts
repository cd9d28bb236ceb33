/** Finds the functions with a body in braces, to measure them. Works on formatted TypeScript, without a compiler. */
import { blankText } from './blank-text.ts';

export interface FunctionSpan {
  /** As far as it can be told from the text before its parameters. */
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** From the line of the name to that of the closing brace. Functions inside count too: that is how it reads. */
  readonly lines: number;
  readonly parameters: number;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Words before parentheses that make no function of what follows. */
const STATEMENT = /(?:^|[^\w$.])(?:if|for|while|switch|catch|with|await)\s*$/;
/** Code before a brace that opens a type, not a body. */
const BEFORE_TYPE = /(?:[:|&<,(]|=>|\b(?:readonly|extends|keyof|is))\s*$/;

export function functionsOf(source: string): readonly FunctionSpan[] {
  const code = blankText(source);
  const spans: FunctionSpan[] = [];
  for (let at = code.indexOf('('); at !== -1; at = code.indexOf('(', at + 1)) {
    const body = bodyAfter(code, at);
    if (body !== null) spans.push(spanOf(code, at, endOf(code, body)));
  }
  return spans;
}

/** Where the body of the function whose parameters begin at `open` begins; null when they are no parameters. */
function bodyAfter(code: string, open: number): number | null {
  if (STATEMENT.test(code.slice(Math.max(0, open - 10), open))) return null;
  const afterType = skipReturnType(code, skipBlanks(code, endOf(code, open) + 1));
  const body = code.startsWith('=>', afterType) ? skipBlanks(code, afterType + 2) : afterType;
  return code[body] === '{' ? body : null;
}

function skipReturnType(code: string, at: number): number {
  if (code[at] !== ':') return at;
  let angles = 0;
  for (let next = at + 1; next < code.length; next += 1) {
    const char = code[next] ?? '';
    if (code.startsWith('=>', next)) return next;
    if (char === '{' && !BEFORE_TYPE.test(code.slice(at, next))) return next;
    if (char in CLOSING) next = endOf(code, next);
    else if (char === '<') angles += 1;
    else if (char === '>') angles -= 1;
    else if (/[;)\]}=]/.test(char) || (char === ',' && angles === 0)) return next;
  }
  return code.length;
}

function skipBlanks(code: string, at: number): number {
  return at + (/^\s*/.exec(code.slice(at, at + 200))?.[0].length ?? 0);
}

/** Position of the bracket that closes the one at `open`. */
function endOf(code: string, open: number): number {
  const opening = code[open] ?? '';
  const closing = CLOSING[opening] ?? '';
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === opening) depth += 1;
    if (code[at] === closing) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length - 1;
}

function spanOf(code: string, open: number, end: number): FunctionSpan {
  const before = code.slice(code.lastIndexOf('\n', open) + 1, open);
  const line = lineOf(code, open);
  return {
    name: /([\w$#]+)\s*(?:[=:]\s*(?:async\s*)?)?(?:<[^>]*>)?$/.exec(before)?.[1] ?? '(unnamed)',
    line,
    lines: lineOf(code, end) - line + 1,
    parameters: parametersIn(code.slice(open + 1, endOf(code, open))),
  };
}

/** Number of parameters. Commas within brackets and angles separate none; an arrow is no angle. */
function parametersIn(list: string): number {
  let depth = 0;
  const parts = [''];
  for (const [index, char] of [...list].entries()) {
    if (/[([{<]/.test(char)) depth += 1;
    else if (/[)\]}]/.test(char) || (char === '>' && list[index - 1] !== '=')) depth -= 1;
    if (char === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + char);
  }
  return parts.filter((part) => part.trim() !== '').length;
}

function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}
