/** Cycles among files that import each other. */

/** By file, the files it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

interface Walk {
  readonly graph: ImportGraph;
  readonly order: Map<string, number>;
  readonly lowest: Map<string, number>;
  readonly path: string[];
  readonly groups: string[][];
}

/** The groups of files in which each reaches each (Tarjan's components of more than one file), sorted. */
export function findCycles(graph: ImportGraph): readonly (readonly string[])[] {
  const walk: Walk = { graph, order: new Map(), lowest: new Map(), path: [], groups: [] };
  for (const file of graph.keys()) {
    if (!walk.order.has(file)) visit(walk, file);
  }
  const importsItself = (file: string) => graph.get(file)?.includes(file) === true;
  return walk.groups
    .filter((group) => group.length > 1 || group.some(importsItself))
    .map((group) => group.sort());
}

function visit(walk: Walk, file: string): void {
  walk.order.set(file, walk.order.size);
  let lowest = walk.order.get(file) ?? 0;
  walk.path.push(file);
  for (const imported of walk.graph.get(file) ?? []) {
    if (!walk.order.has(imported)) {
      visit(walk, imported);
      lowest = Math.min(lowest, walk.lowest.get(imported) ?? lowest);
    } else if (walk.path.includes(imported)) {
      lowest = Math.min(lowest, walk.order.get(imported) ?? lowest);
    }
  }
  walk.lowest.set(file, lowest);
  if (lowest === walk.order.get(file)) {
    walk.groups.push(walk.path.splice(walk.path.indexOf(file)));
  }
}
