/** A graph of many boxes: its part on the screen is drawn anew whenever it moves. */
import { SIZES } from '@tutti/run-graph';
import { type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './graph.module.css';
import { type DrawnProps, MARGIN, STATES, textsOf } from './graph-boxes.ts';
import { type Colours, type Drawing, drawGraph } from './graph-drawing.ts';

/** Stands in the place that scrolls. */
export function GraphCanvas({ drawn, scale, onChoose }: DrawnProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { layout, jobs } = drawn;
  const draw = useRef<() => void>(() => {});
  const colours = useColours(canvas);
  useLayoutEffect(() => {
    draw.current = () => drawSeen(canvas.current, { drawn, scale, colours });
    draw.current();
  }, [drawn, scale, colours]);
  useEffect(() => redrawn(canvas.current, () => draw.current()), []);
  const boxAt = ({ nativeEvent: { offsetX, offsetY } }: PointerEvent) => {
    const place = placeOf(canvas.current);
    const x = (offsetX + (place?.scrollLeft ?? 0)) / scale - MARGIN;
    const y = (offsetY + (place?.scrollTop ?? 0)) / scale - MARGIN;
    return layout.boxes.find(
      (box) =>
        box.kind !== 'joint' &&
        x >= box.x &&
        x <= box.x + box.width &&
        y >= box.y &&
        y <= box.y + SIZES.height,
    );
  };
  return (
    <div
      aria-hidden
      className={styles.extent}
      style={{
        inlineSize: (layout.width + 2 * MARGIN) * scale,
        blockSize: (layout.height + 2 * MARGIN) * scale,
      }}
    >
      <canvas
        ref={canvas}
        className={styles.canvas}
        onPointerMove={(event) => {
          const box = boxAt(event);
          event.currentTarget.title = box === undefined ? '' : textsOf(box, jobs).whole;
        }}
        onClick={(event) => {
          const box = boxAt(event as PointerEvent<HTMLCanvasElement>);
          if (box !== undefined) onChoose(box);
        }}
      />
    </div>
  );
}

const placeOf = (canvas: HTMLCanvasElement | null): HTMLElement | null =>
  canvas?.parentElement?.parentElement ?? null;

function drawSeen(
  canvas: HTMLCanvasElement | null,
  { drawn, scale, colours }: Omit<Drawing, 'context' | 'seen'> & { readonly scale: number },
): void {
  const place = placeOf(canvas);
  const context = canvas?.getContext('2d') ?? null;
  if (canvas === null || place === null || context === null) return;
  const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = place;
  const ratio = devicePixelRatio;
  const [pixelsX, pixelsY] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsX) canvas.width = pixelsX;
  if (canvas.height !== pixelsY) canvas.height = pixelsY;
  canvas.style.inlineSize = `${width}px`;
  canvas.style.blockSize = `${height}px`;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const [x, y] = [scrollLeft / scale - MARGIN, scrollTop / scale - MARGIN];
  const zoom = scale * ratio;
  context.setTransform(zoom, 0, 0, zoom, -x * zoom, -y * zoom);
  const seen = { x, y, width: width / scale, height: height / scale, scale };
  drawGraph({ context, drawn, seen, colours });
}

const OTHERS = ['surface', 'text', 'edge', 'accent', 'accentGround', 'failureGround'] as const;
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** The colours of the theme, which only styles know. */
function useColours(canvas: { readonly current: HTMLCanvasElement | null }): Colours {
  const [colours, setColours] = useState<Colours>(UNKNOWN);
  useLayoutEffect(() => {
    const read = () => setColours(coloursOf(canvas.current));
    read();
    DARK.addEventListener('change', read);
    return () => DARK.removeEventListener('change', read);
  }, [canvas]);
  return colours;
}

const coloursBy = (colourOf: (name: string) => string): Colours =>
  Object.fromEntries(
    [...STATES, ...OTHERS].map((name) => [name, colourOf(name)]),
  ) as unknown as Colours;

const UNKNOWN = coloursBy(() => 'transparent');

function coloursOf(canvas: HTMLCanvasElement | null): Colours {
  if (canvas === null) return UNKNOWN;
  const style = getComputedStyle(canvas);
  return coloursBy((name) => {
    canvas.dataset.colour = name;
    return style.color;
  });
}

/** Calls back before the next frame whenever the place moved or has another size. */
function redrawn(canvas: HTMLCanvasElement | null, draw: () => void): () => void {
  const place = placeOf(canvas);
  if (place === null) return () => {};
  const end = new AbortController();
  let frame = 0;
  const ask = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  };
  const sizes = new ResizeObserver(ask);
  sizes.observe(place);
  place.addEventListener('scroll', ask, { passive: true, signal: end.signal });
  return () => {
    end.abort();
    sizes.disconnect();
    cancelAnimationFrame(frame);
  };
}
