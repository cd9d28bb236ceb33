/** Numbers, times and outcomes as people read them. The script of the page does the same for rows that it shows. */
import { dictionary } from '@tutti/manifests';
import type { ColumnKind } from '../summary/section-model.ts';
import { html, type Markup } from './markup.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export function formatDuration(ms: number): string {
  if (ms < 1) return ms <= 0 ? '0 ms' : '< 1 ms';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`;
  const [hours, minutes] = [Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE)];
  return hours > 0
    ? `${hours} h ${minutes} min`
    : `${minutes} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
}

export function formatNumber(value: number): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return String(rounded).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u202f');
}

export const formatValue = (value: number, isDuration: boolean): string =>
  isDuration ? formatDuration(value) : formatNumber(value);

/** Times are in UTC, to the second. */
export const formatTime = (time: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(time)
    ? `${time.slice(0, 10)} ${time.slice(11, 19)}`
    : time;

/** A sign beside the word: colour alone must not carry meaning. */
const SIGNS: Readonly<Record<string, string>> = dictionary<string>({
  success: '✓',
  failure: '✕',
  error: '!',
  skipped: '–',
  cancelled: '⊘',
});

export const PHASES: Readonly<Record<string, string>> = dictionary<string>({
  SUCCEEDED: 'success',
  FAILED: 'failure',
  CANCELLED: 'cancelled',
});

export const isOutcome = (text: string): boolean => Object.hasOwn(SIGNS, text);

export function badge(outcome: string): Markup {
  const name = outcome.toLowerCase();
  if (!isOutcome(name)) return html`<span class="badge"><bdi>${outcome}</bdi></span>`;
  return html`<span class="badge ${name}"><span aria-hidden="true">${SIGNS[name] ?? ''}</span> ${name}</span>`;
}

export const sign = (outcome: string): string => SIGNS[outcome] ?? '';

/** Text beyond this is shown when it is asked for. */
const SUMMARY_LENGTH = 160;

export function cell(value: string | number, kind: ColumnKind): Markup {
  if (value === '') return html``;
  if (typeof value === 'number') return html`${formatValue(value, kind === 'duration')}`;
  if (kind === 'outcome') return badge(value);
  if (kind === 'time') return html`<time>${formatTime(value)}</time>`;
  return kind === 'details' ? detailsCell(value) : longText(value);
}

export function longText(value: string): Markup {
  const line = value.trim().split('\n', 1)[0] ?? '';
  if (value.length <= SUMMARY_LENGTH && !value.includes('\n'))
    return html`<bdi>${breakable(value)}</bdi>`;
  return folded(line, value);
}

/** A message and what follows it, which does not repeat the message unless that had to be cut. */
function detailsCell(value: string): Markup {
  const [line = '', ...rest] = value.split('\n');
  if (rest.length === 0 || line.length > SUMMARY_LENGTH) return longText(value);
  return folded(line, rest.join('\n'));
}

function folded(line: string, text: string): Markup {
  const begin = line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH)}…` : line;
  return html`<details><summary><bdi>${breakable(begin)}</bdi></summary><pre tabindex="0">${text}</pre></details>`;
}

/** Qualified names and paths go on in the next line behind a separator, not in the middle of a word. */
function breakable(text: string): Markup {
  const pieces = text.split(/(?<=[./_#:\\@])(?=\p{L})/u);
  return html`${pieces.map((piece, index) => (index === 0 ? piece : html`<wbr>${piece}`))}`;
}

export const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(3)}%`;
