/** Progress bars and bar charts, as SVG. */
import { countOf } from '@tutti/manifests';
import { sumOf } from '../summary/groups.ts';
import type { AxisModel, Bar, BarChartModel, ProgressModel } from '../summary/section-model.ts';
import {
  beyondAxis,
  colourOf,
  dataTable,
  isBeyond,
  leftOut,
  legend,
  piece,
  placeOn,
} from './chart-parts.ts';
import { formatValue, percent } from './format.ts';
import { html, type Markup } from './markup.ts';

const BAR_HEIGHT = 16;

export function renderProgress(name: string, model: ProgressModel): Markup {
  const { bars, categories, max, isDuration } = model;
  const rows = bars.map((bar) => {
    const total = sumOf(bar.values);
    const spans = stacked(bar.values, (value) => (100 * value) / (max ?? (total || 1)));
    const shownText = shownValues(bar, categories, isDuration);
    return html`<li><span class="label"><bdi>${bar.label}</bdi></span><span class="told">${shownText}</span>${track(spans, categories)}</li>`;
  });
  const data = { name, first: 'Group', categories, bars, isDuration };
  return html`${legend(model.legend, categories)}<ul class="bars">${rows}</ul>${leftOut(model.left)}${dataTable(data)}`;
}

interface Span {
  readonly at: number;
  readonly size: number;
}

function stacked(values: readonly number[], sizeOf: (value: number) => number): readonly Span[] {
  let at = 0;
  return values.map((value) => {
    const span = { at, size: Math.max(0, sizeOf(value)) };
    at += span.size;
    return span;
  });
}

function track(spans: readonly Span[], categories: readonly string[], ticks: Markup | null = null) {
  const pieces = spans.map(({ at, size }, index) =>
    size === 0
      ? null
      : piece(
          colourOf(categories[index] ?? '', index),
          html`x="${percent(at, 100)}" width="${percent(size, 100)}" height="${BAR_HEIGHT}"`,
        ),
  );
  return html`<svg class="track" width="100%" height="${BAR_HEIGHT}" aria-hidden="true" focusable="false">${ticks}${pieces}</svg>`;
}

/** The values of a bar, in words. */
function shownValues({ values }: Bar, categories: readonly string[], isDuration: boolean): string {
  const shownText = values.flatMap((value, index) => {
    const name = categories[index] ?? '';
    return value === 0
      ? []
      : [
          `${formatValue(value, isDuration)}${categories.length > 1 || isOutcomeName(name) ? ` ${name}` : ''}`,
        ];
  });
  return shownText.join(' · ');
}

const isOutcomeName = (name: string): boolean => !name.includes('.');

export function renderBars(name: string, model: BarChartModel): Markup {
  const picture = model.orientation === 'horizontal' ? horizontal(model) : vertical(name, model);
  const { axis, bars, categories, isDuration } = model;
  const cut = bars.filter(({ values }) => isBeyond(axis, sumOf(values))).length;
  const beyond = beyondAxis(
    'Beyond the ends of the axis, so cut',
    cut,
    countOf(bars.length, 'bar'),
  );
  const data = { name, first: model.primaryTitle, categories, bars, isDuration };
  return html`${legend(model.legend, categories)}<p class="axis-title">${axis.title} by ${model.primaryTitle}</p>${picture}${beyond}${leftOut(model.left)}${dataTable(data)}`;
}

function horizontal({ bars, categories, axis, isDuration }: BarChartModel): Markup {
  const rows = bars.map((bar) => {
    const total = sumOf(bar.values);
    const shownText = formatValue(total, isDuration);
    return html`<li><span class="label"><bdi>${bar.label}</bdi></span><span class="told">${shownText}</span>${track(onAxis(bar, axis), categories, gridLines(axis))}</li>`;
  });
  const labels = axis.ticks.map((tick) => {
    const place = placeOn(axis, tick);
    const anchor = place < 0.05 ? 'start' : place > 0.95 ? 'end' : 'middle';
    return html`<text x="${percent(place, 1)}" y="12" text-anchor="${anchor}">${formatValue(tick, isDuration)}</text>`;
  });
  return html`<ul class="bars">${rows}</ul><svg class="ticks" width="100%" height="18" aria-hidden="true" focusable="false">${labels}</svg>`;
}

function gridLines(axis: AxisModel): Markup {
  const lines = axis.ticks.map((tick) => {
    const x = percent(placeOn(axis, tick), 1);
    return html`<line x1="${x}" x2="${x}" y1="0" y2="${BAR_HEIGHT}" class="grid"/>`;
  });
  return html`${lines}`;
}

/** Pieces of a bar one after the other, cut at the ends of the axis. */
function onAxis({ values }: Bar, axis: AxisModel): readonly Span[] {
  let sum = 0;
  return values.map((value) => {
    const [from, to] = [placeOn(axis, sum), placeOn(axis, sum + value)];
    sum += value;
    return { at: 100 * Math.min(from, to), size: 100 * Math.abs(to - from) };
  });
}

const HEIGHT = 220;
const TOP = 12;
/** The part of the width, in percent, that labels of the axis take. */
const MARGIN = 9;

function vertical(name: string, { bars, categories, axis, isDuration }: BarChartModel): Markup {
  const slot = (100 - MARGIN) / Math.max(1, bars.length);
  const yOf = (place: number): string => (TOP + HEIGHT * (1 - place)).toFixed(1);
  const lines = axis.ticks.map((tick) => {
    const y = yOf(placeOn(axis, tick));
    return html`<line x1="${MARGIN}%" x2="100%" y1="${y}" y2="${y}" class="grid"/><text x="${MARGIN - 1}%" y="${y}" dy="4" text-anchor="end">${formatValue(tick, isDuration)}</text>`;
  });
  const columns = bars.map((bar, index) => {
    const x = percent(MARGIN + slot * (index + 0.15), 100);
    const spans = onAxis(bar, axis).map(({ at, size }, category) => {
      const place = html`x="${x}" width="${percent(slot * 0.7, 100)}" y="${yOf((at + size) / 100)}" height="${((HEIGHT * size) / 100).toFixed(1)}"`;
      return size === 0 ? null : piece(colourOf(categories[category] ?? '', category), place);
    });
    return html`${spans}${columnLabel(bar.label, MARGIN + slot * (index + 0.5))}`;
  });
  const size = bars.length > 12 ? ' large' : '';
  return html`<div class="scroll" role="region" aria-label="${name}, chart" tabindex="0"><svg class="chart${size}" width="100%" height="${TOP + HEIGHT + 96}" role="img" aria-label="${name}: ${countOf(bars.length, 'bar')}, whose values are in the table below.">${lines}${columns}</svg></div>`;
}

const LABEL_LENGTH = 18;

/** Aslant, so that neighbours leave each other room. A long name shows its end, in which names differ. */
function columnLabel(label: string, at: number): Markup {
  const shown = label.length > LABEL_LENGTH ? `…${label.slice(1 - LABEL_LENGTH)}` : label;
  return html`<svg x="${percent(at, 100)}" y="${TOP + HEIGHT + 14}" overflow="visible"><text transform="rotate(-35)" text-anchor="end">${shown}<title>${label}</title></text></svg>`;
}
