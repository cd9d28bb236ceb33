/** What an expression uses, with the places: contexts with the names after them, and functions. */
import { type AccessNode, childrenOf, type Expression, type ExpressionNode } from './syntax.ts';

/** A name in an expression; `at` counts from 0 in its source. */
export interface UsedName {
  readonly name: string;
  readonly at: number;
}

export interface ExpressionUses {
  /** Per use of a context its name and the names after it, as far as they are written out. */
  readonly contexts: readonly (readonly [UsedName, ...UsedName[]])[];
  readonly functions: readonly UsedName[];
}

export function usesOf({ root }: Expression): ExpressionUses {
  const contexts: [UsedName, ...UsedName[]][] = [];
  const functions: UsedName[] = [];
  const visit = (node: ExpressionNode): void => {
    if (node.kind === 'call') functions.push({ name: node.name, at: node.at });
    if (node.kind === 'context') contexts.push([{ name: node.name, at: node.at }]);
    const isPath = node.kind === 'access' && node.target.kind === 'context';
    if (isPath) {
      contexts.push([{ name: node.target.name, at: node.target.at }, ...writtenKeys(node)]);
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
