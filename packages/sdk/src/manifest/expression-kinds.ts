/**
 * Expressions of descriptions have two kinds. Some read the call of the function: its inputs, its values, the system. Others read what only
 * the run knows later: outputs of steps, status functions. The second kind may read the first.
 */
import {
  childrenOf,
  type Expression,
  type ExpressionNode,
  evaluateExpression,
  isStatusFunction,
  type Scope,
} from '@tutti/expressions';
import { OrchestratorError } from '@tutti/manifests';

export const CONTEXTS_OF_CALLS = ['inputs', 'values', 'runner', 'resources', 'tests'] as const;
export const CONTEXTS_OF_RUNS = [
  'job',
  'matrix',
  'needs',
  'opentf',
  'secrets',
  'steps',
  'variables',
] as const;

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

export const isOfCall = (context: string): boolean => isOneOf(CONTEXTS_OF_CALLS, context);

/** Whether only the run can answer it. */
export function isForRun({ root }: Expression): boolean {
  const visit = (node: ExpressionNode): boolean =>
    (node.kind === 'context' && isOneOf(CONTEXTS_OF_RUNS, node.name)) ||
    (node.kind === 'call' && isStatusFunction(node.name)) ||
    childrenOf(node).some(visit);
  return visit(root);
}

interface CallRead {
  readonly node: ExpressionNode;
  /** Source of the read value, from `node.at` on; null when it is written in a way that cannot be replaced. */
  readonly source: string | null;
}

/** The parts of an expression that read values of the call. */
export function readsOfCall({ source, root }: Expression): readonly CallRead[] {
  const reads: CallRead[] = [];
  const visit = (node: ExpressionNode): void => {
    const target = node.kind === 'access' ? node.target : node;
    if (target.kind === 'context' && isOfCall(target.name)) {
      reads.push({ node, source: plainPath(source, node) });
      return;
    }
    childrenOf(node).forEach(visit);
  };
  visit(root);
  return reads;
}

/** `inputs.name`, and no other way to write it. */
function plainPath(source: string, node: ExpressionNode): string | null {
  if (node.kind !== 'access') return null;
  const path = /^[\w-]+(?:\s*\.\s*[\w-]+)+(?!\s*\[)/.exec(source.slice(node.at))?.[0] ?? null;
  return path !== null && path.split('.').length === node.keys.length + 1 ? path : null;
}

/** The source of an expression for the run; values of the call that it reads become literals. Throws `Invalid`. */
export function withLiterals(expression: Expression, scope: Scope): string {
  const reads = readsOfCall(expression).toSorted((left, right) => right.node.at - left.node.at);
  let { source } = expression;
  for (const { node, source: written } of reads) {
    const value = evaluateExpression({ source: expression.source, root: node }, scope);
    const end = node.at + (written ?? '').length;
    source = source.slice(0, node.at) + literalOf(value, written ?? '') + source.slice(end);
  }
  return source;
}

function literalOf(value: unknown, written: string): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value === null || typeof value === 'boolean' || typeof value === 'number') {
    return String(value);
  }
  throw new OrchestratorError(
    'Invalid',
    `"${written}" is a list or a map, which an expression of the run cannot have in it.`,
  );
}
