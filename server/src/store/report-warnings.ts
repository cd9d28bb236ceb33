/** Warnings about the test results of a run: reports that may not be whole. */
import {
  BROKEN_REPORTS_SHOWN,
  type BrokenReport,
  brokenReportWarnings,
  type WorkflowId,
} from '@tutti/manifests';
import type { Store } from './store.ts';

/** Bounded in number and length. */
export async function reportWarnings(
  store: Pick<Store, 'brokenReports'>,
  workflowId: WorkflowId,
): Promise<readonly string[]> {
  const { items, total } = await store.brokenReports(workflowId, BROKEN_REPORTS_SHOWN);
  const reports = items.map((json): BrokenReport => JSON.parse(json));
  return brokenReportWarnings(reports, total);
}
