/** Collects the names that expressions refer to, for checks before anything runs. */
import { OrchestratorError } from '@tutti/manifests';
import { parseCondition } from './condition.ts';
import { DEPTH_MAX } from './limits.ts';
import { parseExpression } from './parse-expression.ts';
import { OPENING, splitText } from './split-text.ts';
import { type AccessNode, childrenOf, type Expression, type ExpressionNode } from './syntax.ts';
import { isList, isMap } from './values.ts';

export interface References {
  /** Names of contexts, each once, in the order in which they occur. */
  readonly contexts: readonly string[];
  /** Per use of a context its name and the names after it, as far as they are written out: `['steps', 'a', 'outputs']`. */
  readonly paths: readonly (readonly string[])[];
  /** Names of functions, each once, as they are written. */
  readonly functions: readonly string[];
}

/** References of a condition or an expression, with or without `${{ }}`; throws `Invalid` for what cannot be parsed. */
export function referencesOf(condition: string | Expression): References {
  const expression = typeof condition === 'string' ? parseCondition(condition) : condition;
  return collect(expression === null ? [] : [expression]);
}

/** References of all `${{ }}` in a text, or in the texts of lists and maps. Throws `Invalid` for what cannot be parsed. */
export function referencesIn(value: unknown): References {
  return collect(expressionsIn(value, DEPTH_MAX));
}

function expressionsIn(value: unknown, depthMax: number): readonly Expression[] {
  if (typeof value === 'string') return expressionsInText(value);
  if (!isList(value) && !isMap(value)) return [];
  if (depthMax === 0) {
    throw new OrchestratorError('Invalid', `Lists or maps nested deeper than ${DEPTH_MAX}.`);
  }
  return Object.values(value).flatMap((item) => expressionsIn(item, depthMax - 1));
}

function expressionsInText(text: string): readonly Expression[] {
  if (!text.includes(OPENING)) return [];
  const parts = splitText(text).filter(({ kind }) => kind === 'expression');
  return parts.map((part) => parseExpression(part.text));
}

function collect(expressions: readonly Expression[]): References {
  const paths: (readonly string[])[] = [];
  const functions = new Set<string>();
  const visit = (node: ExpressionNode): void => {
    if (node.kind === 'call') functions.add(node.name);
    if (node.kind === 'context') paths.push([node.name]);
    const isPath = node.kind === 'access' && node.target.kind === 'context';
    if (isPath) paths.push([node.target.name, ...writtenKeys(node)]);
    (isPath ? node.keys : childrenOf(node)).forEach(visit);
  };
  for (const { root } of expressions) visit(root);
  const contexts = new Set(paths.flatMap(([name]) => name ?? []));
  return { contexts: [...contexts], paths, functions: [...functions] };
}

/** The keys up to the first one that is computed. */
function writtenKeys({ keys }: AccessNode): readonly string[] {
  const written: string[] = [];
  for (const key of keys) {
    if (key.kind !== 'literal') break;
    written.push(String(key.value));
  }
  return written;
}
