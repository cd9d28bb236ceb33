/** A summary report as a file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Timestamp } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { COLLECTOR_LIMITS } from './limits.ts';
import { loadPageAssets, renderReport } from './page/report-page.ts';
import { collectReport, type ReportStore, type SummaryOptions } from './summary/collect-report.ts';

/** In UTF-8. Throws as `collectReport` does. */
export async function* summaryContent(
  store: ReportStore,
  run: Run,
  options: SummaryOptions,
  generatedAt: Timestamp,
): AsyncGenerator<Uint8Array> {
  const model = await collectReport(store, run, options, generatedAt);
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
