/** Tables: the first rows as they are, all of them as data for the script of the page. */
import type { Column, TableModel } from '../summary/section-model.ts';
import { leftOut } from './chart-parts.ts';
import { cell } from './format.ts';
import { html, inOrder, type Markup, scriptJson } from './markup.ts';

/** Rows that are there without the script, and on one page with it. */
export const PAGE_ROWS = 100;
/** Values that are written at a time. */
const SLICE = 2_000;

export function* renderTable(name: string, model: TableModel, id: string): Generator<string> {
  const { columns, rows, left } = model;
  yield html`<div class="table" data-table="${id}-data" data-page="${PAGE_ROWS}">
${controls(model, id)}
<div class="scroll" role="region" aria-label="${name}: table" tabindex="0"><table>
<caption class="hidden">${name}</caption>
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${firstRows(model)}</tbody>
</table></div>
<p class="left" hidden></p>
${rows > PAGE_ROWS ? html`<p class="note unscripted">These are the first ${PAGE_ROWS} of ${rows} rows. All of them, with a filter, are there once scripts are allowed.</p>` : null}
${leftOut(left)}
</div>
<script type="application/json" id="${id}-data">`.markup;
  yield `{"rows":${rows},"columns":[`;
  for (const [index, column] of columns.entries()) {
    if (index > 0) yield ',';
    yield* columnData(column);
  }
  yield ']}</script>\n';
}

function heading({ title, kind }: Column): Markup {
  const isNumber = kind === 'duration' || kind === 'number';
  return html`<th scope="col"${isNumber ? html` class="number"` : null}>${title}</th>`;
}

function firstRows({ columns, rows }: TableModel): readonly Markup[] {
  return Array.from({ length: Math.min(rows, PAGE_ROWS) }, (_, row) => {
    const cells = columns.map(({ kind, values }) => {
      const isNumber = kind === 'duration' || kind === 'number';
      return html`<td${isNumber ? html` class="number"` : null}>${cell(values[row] ?? '', kind)}</td>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
}

/** The script shows them: without it they could do nothing. */
function controls({ columns, rows }: TableModel, id: string): Markup {
  const outcomes = columns.find(({ kind }) => kind === 'outcome');
  const known = outcomes === undefined ? [] : [...new Set(outcomes.values)];
  return html`<div class="controls" hidden>
<label for="${id}-filter">Filter</label> <input type="search" id="${id}-filter" autocomplete="off">
${known.length < 2 ? null : html`<label for="${id}-outcome">Outcome</label> <select id="${id}-outcome"><option value="">all</option>${known.map((each) => html`<option>${each}</option>`)}</select>`}
<span class="pages"><button type="button" data-step="-1">Previous</button><span role="status">${rows} rows</span><button type="button" data-step="1">Next</button></span>
</div>`;
}

/** Where few values come often, each is there once: half of a report are names of jobs and suites. */
function* columnData({ title, kind, values: given }: Column): Generator<string> {
  const values = given.map((value) => (typeof value === 'string' ? inOrder(value) : value));
  const places = new Map<string | number, number>();
  for (const value of values) if (!places.has(value)) places.set(value, places.size);
  const isShort = places.size <= values.length / 4;
  const head = { title: inOrder(title), kind, ...(isShort ? { words: [...places.keys()] } : {}) };
  yield `${scriptJson(head).slice(0, -1)},"values":[`;
  for (let from = 0; from < values.length; from += SLICE) {
    const slice = values.slice(from, from + SLICE);
    const shown = isShort ? slice.map((value) => places.get(value) ?? 0) : slice;
    yield (from > 0 ? ',' : '') + scriptJson(shown).slice(1, -1);
  }
  yield ']}';
}
