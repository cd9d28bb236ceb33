/** The verdict and the counts of a report, and its jobs. */
import { successRate } from '@tutti/manifests';
import type { TestCounts } from '@tutti/workflow';
import type { RunState } from '../summary/collect-report.ts';
import type { CloudModel, SummaryModel } from '../summary/section-model.ts';
import { colourOf, leftOut, piece } from './chart-parts.ts';
import { formatDuration, formatNumber, PHASES, percent, sign } from './format.ts';
import { html, type Markup } from './markup.ts';

interface Verdict {
  readonly outcome: string;
  readonly word: string;
  readonly reason: string;
}

/** The first thing that readers look for: whether the run is good, and why not. */
export function verdictOf(
  state: RunState,
  { counts, total }: SummaryModel,
  mayBeMissing = false,
): Verdict {
  const bad = counts.failure + counts.error;
  const tests = `${formatNumber(bad)} of ${formatNumber(total)} test cases did not pass.`;
  if (state === 'running') {
    return {
      outcome: 'skipped',
      word: 'Running',
      reason: bad > 0 ? tests : 'The workflow goes on.',
    };
  }
  if (state === 'cancelled') {
    return {
      outcome: 'cancelled',
      word: 'Cancelled',
      reason: bad > 0 ? tests : 'The workflow was stopped.',
    };
  }
  if (bad > 0) return { outcome: 'failure', word: 'Failed', reason: tests };
  if (state === 'failure') {
    return { outcome: 'failure', word: 'Failed', reason: 'The workflow failed; no test case did.' };
  }
  return { outcome: 'success', word: 'Passed', reason: passedReason(counts, total, mayBeMissing) };
}

function passedReason({ skipped }: TestCounts, total: number, mayBeMissing: boolean): string {
  if (total === 0)
    return mayBeMissing ? 'No test cases could be read.' : 'There are no test cases.';
  const passed =
    skipped === 0
      ? `All ${formatNumber(total)} test cases passed`
      : `${formatNumber(total - skipped)} test cases passed, ${formatNumber(skipped)} were skipped`;
  return mayBeMissing ? `${passed}; others may be missing.` : `${passed}.`;
}

const SHOWN = ['success', 'failure', 'error', 'skipped'] as const;

/** `mayBeMissing`: there are reports that could not be read whole, or not all results are there yet. */
export function renderSummary(model: SummaryModel, state: RunState, mayBeMissing: boolean): Markup {
  const { outcome, word, reason } = verdictOf(state, model, mayBeMissing);
  const { counts, total, durationMs, repeated } = model;
  const rate = total === 0 ? '–' : `${successRate(total, counts.failure + counts.error)} %`;
  const tiles = [
    ...SHOWN.map((name) =>
      tile(`${sign(name)} ${name}`, formatNumber(counts[name]), counts[name] === 0 ? '' : name),
    ),
    tile('success rate', rate, ''),
    tile('time in tests', formatDuration(durationMs), ''),
    repeated === 0 ? null : tile('ran more than once', formatNumber(repeated), ''),
  ];
  return html`<p class="verdict ${outcome}"><span class="sign" aria-hidden="true">${sign(outcome)}</span><strong>${word}</strong><span>${reason}</span></p>
${total === 0 ? null : outcomeBar(counts, total)}
<dl class="tiles">${tiles}</dl>`;
}

const tile = (name: string, value: string, colour: string): Markup =>
  html`<div><dt>${name}</dt><dd class="${colour}">${value}</dd></div>`;

function outcomeBar(counts: TestCounts, total: number): Markup {
  let at = 0;
  const pieces = SHOWN.map((name) => {
    const place = html`x="${percent(at, total)}" width="${percent(counts[name], total)}" height="20"`;
    at += counts[name];
    return counts[name] === 0 ? null : piece(name, place);
  });
  return html`<svg class="track" width="100%" height="20" aria-hidden="true" focusable="false">${pieces}</svg>`;
}

const SIZES = 5;

/** A job may succeed though its tests did not. */
function sizeText({ weight, failed }: CloudModel['words'][number]): string {
  const size = formatNumber(weight);
  if (failed === null) return size;
  if (weight === 0) return 'no test cases';
  const all = weight === 1 ? '1 test case' : `${size} test cases`;
  return failed === 0 ? all : `${all}, ${formatNumber(failed)} did not pass`;
}

export function renderCloud({ words, left }: CloudModel): Markup {
  const max = words.reduce((most, { weight }) => Math.max(most, weight), 0);
  const items = words.map((word, index) => {
    const { label, weight, phase } = word;
    const outcome = PHASES[phase] ?? colourOf(phase, index);
    // Square roots: what counts is the area.
    const size = max <= 0 ? 1 : 1 + Math.round((SIZES - 1) * Math.sqrt(Math.max(0, weight) / max));
    return html`<li class="size${size}"><span class="${outcome}"><span aria-hidden="true">${sign(outcome)}</span> <bdi>${label}</bdi></span> <small>${phase.toLowerCase()}, ${sizeText(word)}</small></li>`;
  });
  return html`<ul class="cloud">${items}</ul>${leftOut(left)}`;
}
