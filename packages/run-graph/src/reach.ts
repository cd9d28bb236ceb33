import type { Graph } from './fold-jobs.ts';

/** Indexes of boxes. */
export interface Reach {
  /** All boxes that have to end before. */
  readonly before: ReadonlySet<number>;
  /** All boxes that wait for it. */
  readonly after: ReadonlySet<number>;
}

/** All boxes that a box waits for, and those that wait for it, over any number of edges. */
export function reachOf({ edges }: Pick<Graph, 'edges'>, box: number): Reach {
  return { before: walk(edges, box, 1), after: walk(edges, box, 0) };
}

function walk(edges: Graph['edges'], start: number, side: 0 | 1): ReadonlySet<number> {
  const next = new Map<number, number[]>();
  for (const edge of edges) {
    const list = next.get(edge[side]);
    if (list === undefined) next.set(edge[side], [edge[1 - side] ?? 0]);
    else list.push(edge[1 - side] ?? 0);
  }
  // The loop also goes over what it adds.
  const reached = new Set(next.get(start));
  for (const box of reached) for (const one of next.get(box) ?? []) reached.add(one);
  return reached;
}
