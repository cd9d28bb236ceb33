/** Scatter charts, as SVG. */
import { countOf } from '@tutti/manifests';
import type { AxisModel, ScatterModel } from '../summary/section-model.ts';
import {
  beyondAxis,
  colourOf,
  dataTable,
  isBeyond,
  leftOut,
  legend,
  placeOn,
} from './chart-parts.ts';
import { formatValue } from './format.ts';
import { html, type Markup } from './markup.ts';

const MARGIN = 9;
const WIDTH = 89;
const TOP = 14;
const HEIGHT = 240;
const LINE = 44;

export function renderScatter(name: string, model: ScatterModel): Markup {
  const { series, primary, secondary, isDuration } = model;
  const labels = series.map(({ label }) => label);
  const height = secondary === null ? LINE * series.length : HEIGHT;
  const count = series.reduce((sum, each) => sum + each.count, 0);
  const shapes = series.map((each, index) => points(model, each, index));
  const picture = html`<div class="scroll" role="region" aria-label="${name}, chart" tabindex="0"><svg class="chart" width="100%" height="${TOP + height + 28}" role="img" aria-label="${name}: ${countOf(count, 'point')}. The table below has their least, mean and greatest values.">${verticalLines(primary, isDuration, height)}${secondary === null ? null : horizontalLines(secondary, model.isSecondaryDuration)}${shapes}</svg></div>`;
  const title = secondary === null ? primary.title : `${secondary.title} over ${primary.title}`;
  return html`${legend(model.legend, labels)}<p class="axis-title">${title}</p>${picture}${beyond(model)}${leftOut(model.left)}${summary(name, model)}`;
}

type Point = ScatterModel['series'][number]['points'][number];

const isOutside = ({ primary, secondary }: ScatterModel, { x, y }: Point): boolean =>
  isBeyond(primary, x) || (secondary !== null && isBeyond(secondary, y ?? 0));

function beyond(model: ScatterModel): Markup | null {
  const drawn = model.series.flatMap(({ points: of }) => of);
  const count = drawn.filter((point) => isOutside(model, point)).length;
  const note = 'Beyond the ends of the axes, so hollow and at the edge';
  return beyondAxis(note, count, countOf(drawn.length, 'point'));
}

const xOf = (axis: AxisModel, value: number): string =>
  `${(MARGIN + WIDTH * placeOn(axis, value)).toFixed(2)}%`;

function verticalLines(axis: AxisModel, isDuration: boolean, height: number): readonly Markup[] {
  return axis.ticks.map((tick) => {
    const x = xOf(axis, tick);
    const anchor = placeOn(axis, tick) > 0.95 ? 'end' : 'middle';
    return html`<line x1="${x}" x2="${x}" y1="${TOP}" y2="${TOP + height}" class="grid"/><text x="${x}" y="${TOP + height + 18}" text-anchor="${anchor}">${formatValue(tick, isDuration)}</text>`;
  });
}

function horizontalLines(axis: AxisModel, isDuration: boolean): readonly Markup[] {
  return axis.ticks.map((tick) => {
    const y = (TOP + HEIGHT * (1 - placeOn(axis, tick))).toFixed(1);
    return html`<line x1="${MARGIN}%" x2="100%" y1="${y}" y2="${y}" class="grid"/><text x="${MARGIN - 1}%" y="${y}" dy="4" text-anchor="end">${formatValue(tick, isDuration)}</text>`;
  });
}

type Series = ScatterModel['series'][number];

/** Each series has a colour and a shape of its own. */
function points(model: ScatterModel, { label, points: of }: Series, index: number) {
  const { primary, secondary } = model;
  const colour = colourOf(label, index);
  const marks = of.map((point, place) => {
    const { x, y } = point;
    const up =
      secondary === null
        ? // Points of one line, a little apart from each other.
          TOP + LINE * (index + 0.5) + ((place * 7) % 19) - 9
        : TOP + HEIGHT * (1 - placeOn(secondary, y ?? 0));
    return html`<svg x="${xOf(primary, x)}" y="${up.toFixed(1)}" overflow="visible"><path d="${SHAPES[index % SHAPES.length] ?? ''}" class="${isOutside(model, point) ? 'hollow' : 'fill'} ${colour}"/></svg>`;
  });
  const name =
    secondary === null
      ? html`<text x="0" y="${TOP + LINE * (index + 0.5)}" dy="4">${label.slice(0, 14)}<title>${label}</title></text>`
      : null;
  return html`<g class="points">${name}${marks}</g>`;
}

/** A disc, a square, a triangle, a diamond. */
const SHAPES = [
  'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0',
  'M-3-3h6v6h-6z',
  'M0-4l4 7h-8z',
  'M0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z',
];

function summary(name: string, { series, isDuration }: ScatterModel): Markup {
  const bars = series.map(({ label, points: of }) => {
    const values = of.map(({ x }) => x);
    const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
    const [least, greatest] = [
      values.reduce((a, b) => Math.min(a, b)),
      values.reduce((a, b) => Math.max(a, b)),
    ];
    return { label, values: [least, mean, greatest] };
  });
  const categories = ['Least', 'Mean', 'Greatest'];
  return dataTable({ name, first: 'Group', categories, bars, isDuration });
}
