/** A summary report as a file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { COLLECTOR_LIMITS } from './limits.ts';
import { loadPageAssets, renderReport } from './page/report-page.ts';
import { collectReport, type ReportSource, type SummaryOptions } from './summary/collect-report.ts';

/** The page of a report, in UTF-8. Throws as `collectReport` does. */
export async function* summaryContent(
  source: ReportSource,
  options: SummaryOptions,
): AsyncGenerator<Uint8Array> {
  const model = await collectReport(source, options);
  const assets = await loadPageAssets();
  let gathered = '';
  for (const piece of renderReport(model, options, assets)) {
    gathered += piece;
    if (gathered.length < COLLECTOR_LIMITS.chunkLength) continue;
    yield Buffer.from(gathered);
    gathered = '';
    await nextTurn();
  }
  yield Buffer.from(gathered);
}
