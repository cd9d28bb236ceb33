/** The syntax tree of an expression. `at` is where a node begins in the source, counted from 0. */

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '~=';

export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: LiteralValue; readonly at: number }
  | { readonly kind: 'context'; readonly name: string; readonly at: number }
  | AccessNode
  | CallNode
  | { readonly kind: 'not'; readonly operand: ExpressionNode; readonly at: number }
  | ComparisonNode
  /** At least two operands; a chain is one node, so that a long one is not deep. */
  | {
      readonly kind: 'and' | 'or';
      readonly operands: readonly ExpressionNode[];
      readonly at: number;
    };

export type LiteralValue = string | number | boolean | null;

/** `target.a['b'][c]` is one node with three keys. */
export interface AccessNode {
  readonly kind: 'access';
  readonly target: ExpressionNode;
  readonly keys: readonly ExpressionNode[];
  readonly at: number;
}

export interface CallNode {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly ExpressionNode[];
  readonly at: number;
}

export interface ComparisonNode {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
  /** Place of the operator. */
  readonly at: number;
}

/** A parsed expression: reusable, immutable. */
export interface Expression {
  /** Text of the expression, without `${{ }}` and the white space around it. */
  readonly source: string;
  readonly root: ExpressionNode;
}

/** The nodes right under a node, in the order of the source. */
export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case 'literal':
    case 'context':
      return [];
    case 'access':
      return [node.target, ...node.keys];
    case 'call':
      return node.args;
    case 'not':
      return [node.operand];
    case 'comparison':
      return [node.left, node.right];
    case 'and':
    case 'or':
      return node.operands;
  }
}
