/** Walking through a graph with the arrow keys. */
import type { Layout, PlacedBox } from './lay-out.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** Key of the next box in a direction: along the edges, else in the next layer. Null at the rim; the first box for an unknown key. */
export function neighbourOf(layout: Layout, key: string, direction: Direction): string | null {
  const { boxes } = layout;
  const from = boxes.findIndex((box) => box.key === key);
  const box = boxes[from];
  if (box === undefined) {
    return (
      nearest(
        boxes.filter((one) => isShown(one) && one.layer === 0),
        0,
      )?.key ?? null
    );
  }
  if (direction === 'up' || direction === 'down') {
    const step = direction === 'up' ? -1 : 1;
    const sameLayer = boxes.filter(
      (one) => isShown(one) && one.layer === box.layer && (one.row - box.row) * step > 0,
    );
    return nearest(sameLayer, box.row)?.key ?? null;
  }
  const side = direction === 'right' ? 0 : 1;
  const connected = acrossJoints(layout, from, side);
  const found = connected.length > 0 ? connected : nextLayer(boxes, box, side === 0 ? 1 : -1);
  return nearest(found, box.row)?.key ?? null;
}

const isShown = ({ kind }: PlacedBox): boolean => kind !== 'joint';

function nearest(boxes: readonly PlacedBox[], row: number): PlacedBox | null {
  const distance = (box: PlacedBox) => Math.abs(box.row - row);
  return boxes.toSorted((left, right) => distance(left) - distance(right))[0] ?? null;
}

/** The boxes at the other ends of its edges; a joint leads on. */
function acrossJoints({ boxes, edges }: Layout, from: number, side: 0 | 1): readonly PlacedBox[] {
  const seen = new Set([from]);
  const found = new Set<PlacedBox>();
  for (const at of seen) {
    for (const edge of edges) {
      const other = edge[1 - side] ?? 0;
      const box = boxes[other];
      if (edge[side] !== at || box === undefined) continue;
      if (isShown(box)) found.add(box);
      else seen.add(other);
    }
  }
  return [...found];
}

function nextLayer(
  boxes: readonly PlacedBox[],
  { layer }: PlacedBox,
  step: 1 | -1,
): readonly PlacedBox[] {
  const beyond = boxes.filter((box) => isShown(box) && (box.layer - layer) * step > 0);
  const next = beyond.map((box) => Math.abs(box.layer - layer));
  const least = next.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  return beyond.filter((box) => Math.abs(box.layer - layer) === least);
}
