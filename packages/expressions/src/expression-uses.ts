/** Contexts and functions that an expression uses, with their places and the names after them. */
import { type AccessNode, childrenOf, type Expression, type ExpressionNode } from './syntax.ts';

/** A name in an expression; `at` counts from 0 in its source. */
export interface UsedName {
  readonly name: string;
  readonly at: number;
}

/** A use of a context. */
export interface UsedPath {
  /** The name of the context, and the names after it up to the first that is computed. */
  readonly names: readonly [UsedName, ...UsedName[]];
  /** False where a computed name follows. */
  readonly isWhole: boolean;
}

export interface ExpressionUses {
  readonly contexts: readonly UsedPath[];
  readonly functions: readonly UsedName[];
}

export function usesOf({ root }: Expression): ExpressionUses {
  const contexts: UsedPath[] = [];
  const functions: UsedName[] = [];
  const visit = (node: ExpressionNode): void => {
    if (node.kind === 'call') functions.push({ name: node.name, at: node.at });
    if (node.kind === 'context') {
      contexts.push({ names: [{ name: node.name, at: node.at }], isWhole: true });
    }
    const isPath = node.kind === 'access' && node.target.kind === 'context';
    if (isPath) {
      const keys = writtenKeys(node);
      contexts.push({
        names: [{ name: node.target.name, at: node.target.at }, ...keys],
        isWhole: keys.length === node.keys.length,
      });
    }
    (isPath ? node.keys : childrenOf(node)).forEach(visit);
  };
  visit(root);
  return { contexts, functions };
}

/** The keys up to the first one that is computed. */
function writtenKeys({ keys }: AccessNode): readonly UsedName[] {
  const written: UsedName[] = [];
  for (const key of keys) {
    if (key.kind !== 'literal') break;
    written.push({ name: String(key.value), at: key.at });
  }
  return written;
}
