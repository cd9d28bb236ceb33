/** Places the boxes of a graph: layers from left to right, with few crossings, in whole pixels. The same graph always looks the same. */
import type { Box, Graph } from './fold-jobs.ts';

/** In pixels. */
export const SIZES = { width: 184, height: 44, gapX: 56, gapY: 14, jointWidth: 8 } as const;

export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly layer: number;
  /** Position from the top, in heights of boxes. Boxes of one layer never share one. */
  readonly row: number;
}

export interface Layout {
  readonly boxes: readonly PlacedBox[];
  readonly edges: Graph['edges'];
  readonly width: number;
  readonly height: number;
}

/** For each box its neighbours on one side. */
type Neighbours = readonly (readonly number[])[];

export function layOut({ boxes, edges }: Graph): Layout {
  const before = neighboursOf(boxes.length, edges, 1);
  const after = neighboursOf(boxes.length, edges, 0);
  const layerOf = layersOf(before, after);
  const layers: number[][] = [];
  for (const [box, layer] of layerOf.entries()) {
    layers[layer] ??= [];
    layers[layer].push(box);
  }
  sort(layers, before, after);
  const rows = rowsOf(layers, before, after);
  const columns = columnsOf(layers, boxes);
  const placed = boxes.map((box, index): PlacedBox => {
    const layer = layerOf[index] ?? 0;
    const row = rows[index] ?? 0;
    const { x = 0, width = 0 } = columns[layer] ?? {};
    const own = box.kind === 'joint' ? SIZES.jointWidth : SIZES.width;
    const y = row * (SIZES.height + SIZES.gapY);
    return { ...box, layer, row, x: x + Math.floor((width - own) / 2), y, width: own };
  });
  const last = columns.at(-1);
  return {
    boxes: placed,
    edges,
    width: last === undefined ? 0 : last.x + last.width,
    height: placed.reduce((end, { y }) => Math.max(end, y + SIZES.height), 0),
  };
}

function neighboursOf(count: number, edges: Graph['edges'], side: 0 | 1): Neighbours {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) lists[edge[side]]?.push(edge[1 - side] ?? 0);
  return lists;
}

/** The longest way from a box without needs. Boxes in a circle, which no workflow may have, get the layer that they reach. */
function layersOf(before: Neighbours, after: Neighbours): readonly number[] {
  const layers = before.map(() => 0);
  const missing = before.map((list) => list.length);
  const ready = before.flatMap((list, box) => (list.length === 0 ? [box] : []));
  for (const box of ready) {
    for (const next of after[box] ?? []) {
      layers[next] = Math.max(layers[next] ?? 0, (layers[box] ?? 0) + 1);
      missing[next] = (missing[next] ?? 0) - 1;
      if (missing[next] === 0) ready.push(next);
    }
  }
  return layers;
}

const SWEEPS = 4;

/** Moves each box to the middle of its neighbours, in turns those before and those behind it. */
function sort(layers: number[][], before: Neighbours, after: Neighbours): void {
  const position: number[] = [];
  const place = (layer: readonly number[]) => {
    for (const [at, box] of layer.entries()) position[box] = at - layer.length / 2;
  };
  for (const layer of layers) place(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (const layer of isForward ? layers : layers.toReversed()) {
      const wanted = new Map(
        layer.map((box) => [box, middle(isForward ? before[box] : after[box], position, box)]),
      );
      layer.sort((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0));
      place(layer);
    }
  }
}

function middle(
  neighbours: readonly number[] | undefined,
  position: readonly number[],
  box: number,
): number {
  if (neighbours === undefined || neighbours.length === 0) return position[box] ?? 0;
  return neighbours.reduce((sum, one) => sum + (position[one] ?? 0), 0) / neighbours.length;
}

/** Rows beside those of the neighbours, in the order of the layer. */
function rowsOf(
  layers: readonly (readonly number[])[],
  before: Neighbours,
  after: Neighbours,
): readonly number[] {
  const rows: number[] = [];
  for (const layer of layers) for (const [at, box] of layer.entries()) rows[box] = at;
  const settle = (list: readonly (readonly number[])[], sides: readonly Neighbours[]) => {
    for (const layer of list) {
      const wanted = layer.map((box) => {
        const neighbours = sides.flatMap((side) => side[box] ?? []);
        return middle(neighbours, rows, box);
      });
      for (const [at, row] of spread(wanted).entries()) rows[layer[at] ?? 0] = row;
    }
  };
  settle(layers, [before]);
  settle(layers.toReversed(), [after]);
  settle(layers, [before, after]);
  const top = rows.reduce((least, row) => Math.min(least, row), Number.POSITIVE_INFINITY);
  return rows.map((row) => row - top);
}

/**
 * Whole rows in the given order, each behind the row before, as near as possible to the wanted ones. Boxes that want the same place are a
 * block, which shares their distances from it.
 */
function spread(wanted: readonly number[]): readonly number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const [at, row] of wanted.entries()) {
    blocks.push({ sum: row - at, count: 1 });
    for (;;) {
      const last = blocks.at(-1);
      const previous = blocks.at(-2);
      if (last === undefined || previous === undefined) break;
      if (previous.sum / previous.count <= last.sum / last.count) break;
      previous.sum += last.sum;
      previous.count += last.count;
      blocks.pop();
    }
  }
  const starts = blocks.flatMap(({ sum, count }) =>
    Array.from({ length: count }, () => Math.round(sum / count)),
  );
  return starts.map((start, at) => start + at);
}

/** A layer with nothing but joints is narrow. */
function columnsOf(
  layers: readonly (readonly number[])[],
  boxes: readonly Box[],
): readonly { readonly x: number; readonly width: number }[] {
  let end = -SIZES.gapX;
  return layers.map((layer) => {
    const isNarrow = layer.every((box) => boxes[box]?.kind === 'joint');
    const width = isNarrow ? SIZES.jointWidth : SIZES.width;
    const x = end + (isNarrow ? SIZES.gapX / 2 : SIZES.gapX);
    end = isNarrow ? x + width - SIZES.gapX / 2 : x + width;
    return { x, width };
  });
}
