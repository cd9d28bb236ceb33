/** A graph whose boxes are elements: few enough for any machine. */
import { type PlacedBox, SIZES } from '@tutti/run-graph';
import styles from './graph.module.css';
import {
  type Drawn,
  type DrawnProps,
  type Edge,
  isFar,
  lineOf,
  MARGIN,
  stateOf,
  textsOf,
} from './graph-boxes.ts';

export function GraphPicture({ drawn, scale, onChoose }: DrawnProps) {
  const { layout, jobs, chosen, path } = drawn;
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  return (
    <svg
      aria-hidden
      width={width * scale}
      height={height * scale}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
    >
      <Edges drawn={drawn} />
      {layout.boxes.map((box, index) =>
        box.kind === 'joint' ? null : (
          // biome-ignore lint/a11y/noStaticElementInteractions: hidden from readers of screens, and the group handles keys
          <g
            key={box.key}
            className={styles.box}
            transform={`translate(${box.x} ${box.y})`}
            data-state={stateOf(box, jobs)}
            data-chosen={index === chosen || undefined}
            data-path={path.has(box.key) || undefined}
            data-far={isFar(drawn, index) || undefined}
            onClick={() => onChoose(box)}
          >
            <rect width={box.width} height={SIZES.height} rx={7} />
            <BoxText box={box} jobs={jobs} />
          </g>
        ),
      )}
    </svg>
  );
}

function BoxText({ box, jobs }: { readonly box: PlacedBox; readonly jobs: Drawn['jobs'] }) {
  const { whole, name, state } = textsOf(box, jobs);
  return (
    <>
      <title>{whole}</title>
      <text x={12} y={18} className={styles.boxName}>
        {name}
      </text>
      <text x={12} y={35} className={styles.boxState}>
        {state}
      </text>
    </>
  );
}

/** One path for all faint edges: there may be hundreds. */
function Edges({ drawn }: { readonly drawn: Drawn }) {
  const { boxes, edges } = drawn.layout;
  const path = (edge: Edge) => {
    const line = lineOf(drawn.layout, edge);
    if (line === null) return '';
    const { x1, y1, x2, y2, bend } = line;
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  };
  const joints = boxes
    .filter(({ kind }) => kind === 'joint')
    .map(({ x, y, width }) => `M${x} ${y + SIZES.height / 2}h${width}`);
  return (
    <>
      <path className={styles.edge} d={[...edges.map(path), ...joints].join('')} />
      <path className={styles.critical} d={drawn.critical.map(path).join('')} />
      <path className={styles.strong} d={drawn.strong.map(path).join('')} />
    </>
  );
}
