/** Draws the part of a large graph that is seen. */
import { type PlacedBox, SIZES } from '@tutti/run-graph';
import {
  type BoxState,
  type Drawn,
  type Edge,
  isFar,
  lineOf,
  SIGNS,
  stateOf,
  textsOf,
} from './graph-boxes.ts';

export interface Colours extends Readonly<Record<BoxState, string>> {
  readonly surface: string;
  readonly text: string;
  readonly edge: string;
  readonly accent: string;
  readonly accentGround: string;
  readonly failureGround: string;
}

/** In pixels of the graph, besides the scale. */
export interface Seen {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Smaller texts cannot be read. Signs are larger. */
const TEXT_SCALE_MIN = 0.65;
const SIGN_SCALE_MIN = 0.45;
/** More would look like a grey area, and take longer than a frame. */
const EDGES_MAX = 600;

export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly drawn: Drawn;
  readonly seen: Seen;
  readonly colours: Colours;
}

/** The coordinates of the context are those of the graph. */
export function drawGraph(drawing: Drawing): void {
  const { context, drawn } = drawing;
  drawEdges(drawing);
  const [near, far]: [number[], number[]] = [[], []];
  for (const [index, box] of drawn.layout.boxes.entries()) {
    if (isSeen(drawing, box)) (isFar(drawn, index) ? far : near).push(index);
  }
  context.globalAlpha = 0.4;
  drawBoxes(drawing, far);
  context.globalAlpha = 1;
  drawBoxes(drawing, near);
}

function isSeen({ seen }: Drawing, { kind, x, y, width }: PlacedBox): boolean {
  const isBeside = x > seen.x + seen.width || x + width < seen.x;
  return kind !== 'joint' && !isBeside && y <= seen.y + seen.height && y + SIZES.height >= seen.y;
}

function drawEdges({ context, drawn, seen, colours }: Drawing): void {
  const { boxes, edges } = drawn.layout;
  const seenOf = (list: readonly Edge[]) =>
    list.filter(([from, to]) => isCrossing(seen, boxes[from], boxes[to]));
  const stroke = (list: readonly Edge[], colour: string, [width, alpha]: readonly number[]) => {
    context.beginPath();
    for (const edge of list.slice(0, EDGES_MAX)) {
      const line = lineOf(drawn.layout, edge);
      if (line === null) continue;
      const { x1, y1, x2, y2, bend } = line;
      context.moveTo(x1, y1);
      context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    }
    context.strokeStyle = colour;
    context.lineWidth = (width ?? 1) / Math.min(1, seen.scale);
    context.globalAlpha = alpha ?? 1;
    context.stroke();
  };
  const faint = seenOf(edges);
  if (faint.length <= EDGES_MAX) stroke(faint, colours.edge, [1, 0.6]);
  stroke(seenOf(drawn.critical), colours.text, [1.5, 0.75]);
  stroke(seenOf(drawn.strong), colours.accent, [1.75, 1]);
  context.globalAlpha = 1;
}

/** A part of the rectangle between the two is seen. */
function isCrossing(seen: Seen, from: PlacedBox | undefined, to: PlacedBox | undefined): boolean {
  if (from === undefined || to === undefined) return false;
  const [top, bottom] = from.y < to.y ? [from.y, to.y] : [to.y, from.y];
  return (
    from.x + from.width <= seen.x + seen.width &&
    to.x >= seen.x &&
    top <= seen.y + seen.height &&
    bottom + SIZES.height >= seen.y
  );
}

function drawBoxes(drawing: Drawing, indexes: readonly number[]): void {
  const { drawn, seen } = drawing;
  const ofState = new Map<BoxState, number[]>();
  for (const index of indexes) {
    const box = drawn.layout.boxes[index];
    if (box === undefined) continue;
    const state = stateOf(box, drawn.jobs);
    const list = ofState.get(state);
    if (list === undefined) ofState.set(state, [index]);
    else list.push(index);
  }
  for (const [state, list] of ofState) {
    if (seen.scale < SIGN_SCALE_MIN) drawCells(drawing, list, state);
    else drawFrames(drawing, list, state);
  }
}

/** Cells without texts. Their shapes differ like their colours. All of a state are one path. */
function drawCells({ context, drawn, colours }: Drawing, list: readonly number[], state: BoxState) {
  const { height } = SIZES;
  const boxes = list.flatMap((index) => drawn.layout.boxes[index] ?? []);
  const rects = (part: (box: PlacedBox) => readonly [number, number, number, number]) => {
    context.beginPath();
    for (const box of boxes) context.rect(...part(box));
  };
  context.fillStyle = colours[state];
  context.strokeStyle = colours[state];
  context.lineWidth = 6;
  rects(({ x, y, width }) => {
    if (state === 'running') return [x, y, width / 2, height];
    if (state === 'skipped' || state === 'canceled') return [x, y + height / 3, width, height / 3];
    return [x, y, width, height];
  });
  if (state !== 'waiting') context.fill();
  if (state === 'running') rects(({ x, y, width }) => [x, y, width, height]);
  if (state === 'running' || state === 'waiting') context.stroke();
  if (state === 'failed') {
    context.strokeStyle = colours.surface;
    context.beginPath();
    for (const { x, y, width } of boxes) {
      const middle = x + width / 2;
      context.moveTo(middle - height / 3, y + height / 6);
      context.lineTo(middle + height / 3, y + (height * 5) / 6);
      context.moveTo(middle - height / 3, y + (height * 5) / 6);
      context.lineTo(middle + height / 3, y + height / 6);
    }
    context.stroke();
  }
  const chosen = list.includes(drawn.chosen) ? drawn.layout.boxes[drawn.chosen] : undefined;
  if (chosen === undefined) return;
  context.strokeStyle = colours.text;
  context.lineWidth = 14;
  context.strokeRect(chosen.x, chosen.y, chosen.width, height);
}

/** Boxes with a sign, or with their texts where they can be read. */
function drawFrames(drawing: Drawing, list: readonly number[], state: BoxState): void {
  const { context, drawn, seen, colours } = drawing;
  const ground = state === 'failed' ? colours.failureGround : colours.surface;
  const isOn = (index: number) => drawn.path.has(drawn.layout.boxes[index]?.key ?? '');
  context.setLineDash(state === 'skipped' ? [4, 3] : []);
  const plain = list.filter((index) => index !== drawn.chosen && !isOn(index));
  drawRounded(drawing, plain, [ground, colours[state], 1.5]);
  drawRounded(drawing, list.filter(isOn), [ground, colours[state], 2.5]);
  context.setLineDash([]);
  if (list.includes(drawn.chosen)) {
    drawRounded(drawing, [drawn.chosen], [colours.accentGround, colours.accent, 3]);
  }
  const hasText = seen.scale >= TEXT_SCALE_MIN;
  context.font = SIGN_FONT;
  context.fillStyle = colours[state];
  for (const index of list) {
    const box = drawn.layout.boxes[index];
    if (box === undefined) continue;
    if (hasText) drawTexts(drawing, box, state);
    else context.fillText(SIGNS[state], box.x + 12, box.y + 33);
  }
}

function drawRounded(
  { context, drawn }: Drawing,
  list: readonly number[],
  [fill, line, width]: readonly [string, string, number],
): void {
  context.beginPath();
  for (const index of list) {
    const box = drawn.layout.boxes[index];
    if (box !== undefined) context.roundRect(box.x, box.y, box.width, SIZES.height, 7);
  }
  context.fillStyle = fill;
  context.fill();
  context.strokeStyle = line;
  context.lineWidth = width;
  context.stroke();
}

const FONT = 'system-ui, sans-serif';
const SIGN_FONT = `600 32px ${FONT}`;

function drawTexts({ context, drawn, colours }: Drawing, box: PlacedBox, state: BoxState): void {
  const { name, state: second } = textsOf(box, drawn.jobs);
  context.fillStyle = colours.text;
  context.font = `600 13px ${FONT}`;
  context.fillText(name, box.x + 12, box.y + 18);
  context.fillStyle = colours[state];
  context.font = `12px ${FONT}`;
  context.fillText(second, box.x + 12, box.y + 35);
}
