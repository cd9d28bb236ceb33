/** Names that a broken expression uses before its mistake: they may be wrong as well. */
import type { ExpressionUses, UsedName, UsedPath } from './expression-uses.ts';
import { EXPRESSION_LENGTH_MAX } from './limits.ts';
import { isConstant, nameOfContext } from './parse-expression.ts';
import { type Token, tokensBeforeMistake } from './tokenize.ts';

const NOTHING: ExpressionUses = { contexts: [], functions: [] };

/**
 * `at`: where the mistake is. Null for one that is no matter of the grammar, so that names behind it are what they seem. The same is true
 * of the arguments of a function that takes other ones.
 */
export function usesBefore(source: string, at: number | null): ExpressionUses {
  return usesUpTo(source, at, false);
}

/** Names used in an expression without an end: its last name may be incomplete. */
export function usesOfUnfinished(source: string, at: number | null): ExpressionUses {
  return usesUpTo(source, at ?? source.length, true);
}

function usesUpTo(source: string, at: number | null, isUnfinished: boolean): ExpressionUses {
  if (source.length > EXPRESSION_LENGTH_MAX) return NOTHING;
  const tokens = tokensBeforeMistake(source);
  const mistake = tokens.findIndex(
    (token, index) => at !== null && (token.at >= at || lacksOperator(tokens[index - 1], token)),
  );
  const isCall = tokens[mistake]?.type === 'word' && tokens[mistake + 1]?.text === '(';
  if (mistake === -1 || isCall) return usesIn(tokens, false);
  const next = tokens[mistake];
  const mayGoOn = next?.type === 'end' ? isUnfinished : next?.type !== 'symbol';
  return usesIn(tokens.slice(0, mistake), mayGoOn);
}

/** The tokenizer may find a later mistake than the parser: in `'it's'` the missing operator counts, not the second quote. */
function lacksOperator(before: Token | undefined, { type }: Token): boolean {
  const isValue = type === 'word' || type === 'literal';
  return isValue && before !== undefined && isEndOfValue(before);
}

const isEndOfValue = ({ type, text }: Token): boolean =>
  type === 'word' || type === 'literal' || (type === 'symbol' && /^[)\]]$/.test(text));

/** `mayGoOn`: the last name may be the beginning of a text without quotes, or of a longer name. */
function usesIn(tokens: readonly Token[], mayGoOn: boolean): ExpressionUses {
  const contexts: UsedPath[] = [];
  const functions: UsedName[] = [];
  for (const [index, token] of tokens.entries()) {
    const { type, text, at } = token;
    const isMember = tokens[index - 1]?.text === '.';
    if (type !== 'word' || isMember || isConstant(text)) continue;
    if (tokens[index + 1]?.text === '(') {
      functions.push({ name: text, at });
      continue;
    }
    const keys = keysAfter(tokens, index);
    const end = index + keys.reduce((count, { length }) => count + length, 1);
    if (end < tokens.length || !mayGoOn) {
      contexts.push({
        names: [{ name: nameOfContext(text), at }, ...keys.map(({ used }) => used)],
        isWhole: tokens[end]?.text !== '[',
      });
    }
  }
  return { contexts, functions };
}

interface WrittenKey {
  readonly used: UsedName;
  /** Length in tokens. */
  readonly length: number;
}

/** The names behind a context, up to the first that is computed. */
function keysAfter(tokens: readonly Token[], index: number): readonly WrittenKey[] {
  const keys: WrittenKey[] = [];
  for (let at = index + 1; ; at += keys.at(-1)?.length ?? 0) {
    const key = keyAt(tokens.slice(at, at + 3));
    if (key === null) return keys;
    keys.push(key);
  }
}

function keyAt([first, second, third]: readonly Token[]): WrittenKey | null {
  if (first?.text === '.' && second?.type === 'word') {
    return { used: { name: second.text, at: second.at }, length: 2 };
  }
  const isInBrackets = first?.text === '[' && second?.type === 'literal' && third?.text === ']';
  return isInBrackets ? { used: { name: String(second.value), at: second.at }, length: 3 } : null;
}
