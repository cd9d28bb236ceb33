/** Decides a condition before the run, where its known part is enough: `failure() && …` is false if all goes well. */
import {
  type ExpressionNode,
  evaluateExpression,
  parseCondition,
  type Scope,
} from '@tutti/expressions';
import { attempt } from '../run/evaluation.ts';

/** Null where only the run knows. `isKnown`: of a part of the condition, whether its value is the same in every run. */
export function decidedCondition(
  text: string,
  scope: Scope,
  isKnown: (node: ExpressionNode) => boolean,
): boolean | null {
  const decided = attempt('if', () => {
    const condition = parseCondition(text);
    if (condition === null) return null;
    const { source, root } = condition;
    const evaluated = (node: ExpressionNode): unknown =>
      isKnown(node) ? evaluateExpression({ source, root: node }, scope) : null;
    return decidedNode(root, evaluated);
  });
  return decided.ok ? decided.value : null;
}

function decidedNode(
  node: ExpressionNode,
  evaluated: (node: ExpressionNode) => unknown,
): boolean | null {
  switch (node.kind) {
    case 'and':
      return decidedChain(node.operands, false, evaluated);
    case 'or':
      return decidedChain(node.operands, true, evaluated);
    case 'not': {
      const operand = decidedNode(node.operand, evaluated);
      return operand === null ? null : !operand;
    }
    default: {
      const value = evaluated(node);
      return typeof value === 'boolean' ? value : null;
    }
  }
}

/** One operand with the value that decides is enough; the other value is that of a chain without any. */
function decidedChain(
  operands: readonly ExpressionNode[],
  deciding: boolean,
  evaluated: (node: ExpressionNode) => unknown,
): boolean | null {
  let isOpen = false;
  for (const operand of operands) {
    const decided = decidedNode(operand, evaluated);
    if (decided === deciding) return deciding;
    // A text or a list would be the value of the chain itself, and conditions take those differently.
    if (decided === null && !isTrueOrFalse(operand)) return null;
    isOpen ||= decided === null;
  }
  return isOpen ? null : !deciding;
}

function isTrueOrFalse(node: ExpressionNode): boolean {
  const isChain = node.kind === 'and' || node.kind === 'or';
  return (
    node.kind === 'comparison' ||
    node.kind === 'not' ||
    (isChain && node.operands.every(isTrueOrFalse))
  );
}
