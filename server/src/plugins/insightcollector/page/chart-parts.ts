/** Shared parts of charts: colours with patterns and words beside them, legends, and their data as a table. */
import { countIs } from '@tutti/manifests';
import type { AxisModel, Bar, Legend } from '../summary/section-model.ts';
import { formatValue, isOutcome, sign } from './format.ts';
import { html, type Markup } from './markup.ts';

const COLOURS = 8;

/** The class of a category: that of an outcome, or one of the colours in turn. */
export function colourOf(category: string, index: number): string {
  const name = category.toLowerCase();
  return isOutcome(name) ? name : `c${index % COLOURS}`;
}

/** Hatches over the colours, for readers who cannot distinguish these; once in a page. */
export function patterns(): Markup {
  const lines = (id: string, path: string) =>
    html`<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><path d="${path}" class="hatch"/></pattern>`;
  return html`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>
${lines('hatch-failure', 'M-1 1l2-2M0 6l6-6M5 7l2-2')}${lines('hatch-error', 'M0 0l6 6M0 6l6-6')}${lines('hatch-skipped', 'M0 3h6')}${lines('hatch-cancelled', 'M3 0v6')}
</defs></svg>`;
}

const HATCHED = new Set(['failure', 'error', 'skipped', 'cancelled']);

/** A piece of a bar; places and sizes are attributes of a rectangle. */
export function piece(colour: string, place: Markup): Markup {
  const hatch = HATCHED.has(colour) ? html`<rect ${place} fill="url(#hatch-${colour})"/>` : null;
  return html`<rect ${place} class="fill ${colour}"/>${hatch}`;
}

export function legend(definition: Legend, categories: readonly string[]): Markup | null {
  if (definition === null || categories.length === 0) return null;
  const items = categories.map((name, index) => {
    const colour = colourOf(name, index);
    const swatch = html`<svg width="14" height="14" aria-hidden="true" focusable="false">${piece(colour, html`width="14" height="14"`)}</svg>`;
    return html`<li>${swatch} <bdi>${sign(colour)} ${name}</bdi></li>`;
  });
  const title =
    definition.title === '' ? null : html`<p class="legend-title">${definition.title}</p>`;
  return html`${title}<ul class="legend">${items}</ul>`;
}

export const leftOut = (left: number): Markup | null =>
  left > 0 ? html`<p class="note">${countIs(left, 'more')} left out.</p>` : null;

export interface DataTable {
  readonly name: string;
  readonly first: string;
  readonly categories: readonly string[];
  readonly bars: readonly Bar[];
  readonly isDuration: boolean;
}

/** The data of a chart as a table, for blind readers and for readers who want the numbers. */
export function dataTable({ name, first, categories, bars, isDuration }: DataTable): Markup {
  const rows = bars.map(
    ({ label, values }) =>
      html`<tr><th scope="row"><bdi>${label}</bdi></th>${values.map((value) => html`<td class="number">${formatValue(value, isDuration)}</td>`)}</tr>`,
  );
  return html`<details class="data"><summary>Data</summary><div class="scroll" role="region" aria-label="Data of ${name}" tabindex="0"><table><caption class="hidden">${name}</caption>
<thead><tr><th scope="col">${first}</th>${categories.map((each) => html`<th scope="col" class="number"><bdi>${each}</bdi></th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div></details>`;
}

/** Whether an axis has no place for a value. */
export const isBeyond = ({ min, max }: AxisModel, value: number): boolean =>
  value < min || value > max;

/** Notice about an axis that ends too early: `told` of `all` are not where they belong. */
export const beyondAxis = (note: string, count: number, all: string): Markup | null =>
  count > 0 ? html`<p class="note">${note}: ${count} of ${all}.</p>` : null;

/** Position of a value on an axis, from 0 to 1; values beyond its ends are at the ends. */
export function placeOn({ min, max }: AxisModel, value: number): number {
  return Math.min(1, Math.max(0, (value - min) / (max - min)));
}
