/** Draws the part of a large graph that is seen. */
import { type PlacedBox, SIZES } from '@tutti/run-graph';
import {
  type BoxState,
  type Drawn,
  type Edge,
  isCritical,
  isFar,
  isStrong,
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
const SIGN_SCALE_MIN = 0.3;
/** More would look like a grey area, and take longer than a frame. */
const EDGES_MAX = 1_500;

export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly drawn: Drawn;
  readonly seen: Seen;
  readonly colours: Colours;
}

/** The coordinates of the context are those of the graph. */
export function drawGraph(drawing: Drawing): void {
  drawEdges(drawing);
  const { boxes } = drawing.drawn.layout;
  const shown = boxes.flatMap((box, index) => (isSeen(drawing, box) ? [index] : []));
  const { true: far = [], false: near = [] } = Object.groupBy(shown, (index) =>
    String(isFar(drawing.drawn, index)),
  );
  drawing.context.globalAlpha = 0.4;
  drawBoxes(drawing, far);
  drawing.context.globalAlpha = 1;
  drawBoxes(drawing, near);
}

function isSeen({ seen }: Drawing, { kind, x, y, width }: PlacedBox): boolean {
  const isBeside = x > seen.x + seen.width || x + width < seen.x;
  return kind !== 'joint' && !isBeside && y <= seen.y + seen.height && y + SIZES.height >= seen.y;
}

function drawEdges({ context, drawn, seen, colours }: Drawing): void {
  const { boxes, edges } = drawn.layout;
  const shown = edges.filter(([from, to]) => isCrossing(seen, boxes[from], boxes[to]));
  const stroke = (list: readonly Edge[], colour: string, [width, alpha]: readonly number[]) => {
    context.beginPath();
    for (const edge of list) {
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
  if (shown.length <= EDGES_MAX) stroke(shown, colours.edge, [1, 0.6]);
  const critical = shown.filter((edge) => isCritical(drawn, edge));
  stroke(critical.slice(0, EDGES_MAX), colours.text, [1.5, 0.75]);
  const strong = shown.filter((edge) => isStrong(drawn, edge));
  stroke(strong.slice(0, EDGES_MAX), colours.accent, [1.75, 1]);
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

/** Cells with nothing but a colour, in one path. */
function drawCells({ context, drawn, colours }: Drawing, list: readonly number[], state: BoxState) {
  const { boxes } = drawn.layout;
  context.beginPath();
  for (const index of list) {
    const box = boxes[index];
    if (box !== undefined) context.rect(box.x, box.y, box.width, SIZES.height);
  }
  context.fillStyle = colours[state];
  context.strokeStyle = colours[state];
  context.lineWidth = 8;
  // Skipped jobs are hollow.
  if (state === 'skipped') context.stroke();
  else context.fill();
  const chosen = list.includes(drawn.chosen) ? boxes[drawn.chosen] : undefined;
  if (chosen === undefined) return;
  context.strokeStyle = colours.text;
  context.lineWidth = 16;
  context.strokeRect(chosen.x, chosen.y, chosen.width, SIZES.height);
}

/** Boxes with a sign, or with their texts where they can be read. */
function drawFrames(drawing: Drawing, list: readonly number[], state: BoxState): void {
  const { context, drawn, seen, colours } = drawing;
  const hasText = seen.scale >= TEXT_SCALE_MIN;
  for (const index of list) {
    const box = drawn.layout.boxes[index];
    if (box === undefined) continue;
    const isChosen = index === drawn.chosen;
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, SIZES.height, 7);
    const ground = state === 'failed' ? colours.failureGround : colours.surface;
    context.fillStyle = isChosen ? colours.accentGround : ground;
    context.fill();
    context.strokeStyle = isChosen ? colours.accent : colours[state];
    context.lineWidth = isChosen ? 3 : drawn.path.has(box.key) ? 2.5 : 1.5;
    context.setLineDash(state === 'skipped' ? [4, 3] : []);
    context.stroke();
    context.setLineDash([]);
    if (hasText) drawTexts(drawing, box, state);
  }
  if (hasText) return;
  context.font = SIGN_FONT;
  context.fillStyle = colours[state];
  for (const index of list) {
    const box = drawn.layout.boxes[index];
    if (box !== undefined) context.fillText(SIGNS[state], box.x + 12, box.y + 33);
  }
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
