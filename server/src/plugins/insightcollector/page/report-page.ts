/**
 * A report as one HTML file that needs nothing else. It needs no network, and its policy names the hashes of its only scripts. Everything
 * that comes from a run passes through `html`, which escapes it, or `scriptJson`.
 */
import { createHash } from 'node:crypto';
import { parseTimestamp } from '@tutti/manifests';
import { readOwnFile } from '../../../runtime/own-files.ts';
import type { ReportModel, SummaryOptions } from '../summary/collect-report.ts';
import type { NamedSection } from '../summary/section-model.ts';
import { renderBars, renderProgress } from './bars-page.ts';
import { patterns } from './chart-parts.ts';
import { formatDuration, formatTime } from './format.ts';
import { html, type Markup, rawText } from './markup.ts';
import { renderCloud, renderSummary } from './overview-page.ts';
import { renderScatter } from './scatter-page.ts';
import { renderTable } from './table-page.ts';

/** Style and script of every report. */
export interface PageAssets {
  readonly style: string;
  readonly script: string;
}

export async function loadPageAssets(): Promise<PageAssets> {
  const [style, script] = await Promise.all(
    ['report-page.css', 'report-page.js'].map((name) =>
      readOwnFile(new URL(name, import.meta.url)),
    ),
  );
  return { style: String(style ?? ''), script: String(script ?? '') };
}

/** The page in pieces. */
export function* renderReport(
  model: ReportModel,
  { style, scripts }: Pick<SummaryOptions, 'style' | 'scripts'>,
  assets: PageAssets,
): Generator<string> {
  const styles = [assets.style, style]
    .filter((text) => text !== '')
    .map((text) => rawText(text, 'style'));
  const programs = [assets.script, scripts]
    .filter((text) => text !== '')
    .map((text) => rawText(text, 'script'));
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(styles, programs)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${model.title}</title>
${styles.map((each) => html`<style>${each}</style>\n`)}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${patterns()}
${headerOf(model)}
${notice(model.warnings)}${navigation(model.sections)}
<main id="content">
`.markup;
  for (const [index, section] of model.sections.entries()) {
    const id = `section-${index + 1}`;
    yield html`<section aria-labelledby="${id}"><h2 id="${id}">${section.name}</h2>\n`.markup;
    yield* content(section, id, model);
    yield '</section>\n';
  }
  yield html`</main>
<footer><p>Made by Tutti at ${formatTime(model.generatedAt)} (UTC).</p></footer>
${programs.map((each) => html`<script>${each}</script>\n`)}</body>
</html>
`.markup;
}

function policy(styles: readonly Markup[], scripts: readonly Markup[]): string {
  const hashes = (texts: readonly Markup[]) =>
    texts
      .map(({ markup }) => `'sha256-${createHash('sha256').update(markup).digest('base64')}'`)
      .join(' ');
  return [
    "default-src 'none'",
    `style-src ${hashes(styles)}`,
    `script-src ${hashes(scripts)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function headerOf({ title, workflow }: ReportModel): Markup {
  const { createdAt, completedAt } = workflow;
  const facts = [
    ['Workflow', workflow.name],
    ['Namespace', workflow.namespace],
    ['Started', `${formatTime(createdAt)} (UTC)`],
    [
      'Duration',
      completedAt === null ? 'not over yet' : formatDuration(between(createdAt, completedAt)),
    ],
    ['Id', workflow.id],
    ...(workflow.canBeOpened ? [['Pictures and traces', `tutti report open ${workflow.id}`]] : []),
  ];
  return html`<header><h1><bdi>${title}</bdi></h1><dl class="facts">${facts.map(([name = '', value = '']) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl></header>`;
}

/** Warnings before all counts. */
function notice(warnings: readonly string[]): Markup | null {
  if (warnings.length === 0) return null;
  const items = warnings.map((warning) => html`<li><bdi>${warning}</bdi></li>`);
  return html`<aside class="notice" aria-labelledby="notice"><h2 id="notice"><span aria-hidden="true">⚠</span> Test results may be missing</h2><ul>${items}</ul></aside>\n`;
}

const between = (from: string, to: string): number =>
  Math.max(0, (parseTimestamp(to) ?? 0) - (parseTimestamp(from) ?? 0));

function navigation(sections: readonly NamedSection[]): Markup | null {
  if (sections.length < 2) return null;
  const items = sections.map(
    ({ name }, index) => html`<li><a href="#section-${index + 1}"><bdi>${name}</bdi></a></li>`,
  );
  return html`<nav aria-label="Sections"><ul>${items}</ul></nav>`;
}

function* content(
  { name, model }: NamedSection,
  id: string,
  report: ReportModel,
): Generator<string> {
  switch (model.kind) {
    case 'Table':
      yield* renderTable(name, model, id);
      break;
    case 'SummaryBlock':
      yield renderSummary(model, report.workflow.state, report.warnings.length > 0).markup;
      break;
    case 'Cloud':
      yield renderCloud(model).markup;
      break;
    case 'ProgressBar':
      yield renderProgress(name, model).markup;
      break;
    case 'BarChart':
      yield renderBars(name, model).markup;
      break;
    case 'ScatterChart':
      yield renderScatter(name, model).markup;
      break;
    case 'Note':
      yield html`<p class="note">${model.text}</p>`.markup;
      break;
  }
}
