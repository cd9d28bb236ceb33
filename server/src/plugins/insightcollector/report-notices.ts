/** Notices before the test results of a report: why some of them may be missing. */
import type { Run } from '@tutti/workflow';
import { reportWarnings } from '../../store/report-warnings.ts';
import type { Store } from '../../store/store.ts';
import { incompleteness } from './completeness.ts';

/** `run` is as it was before the test cases were read: all results of that time are in the report. */
export async function reportNotices(
  store: Pick<Store, 'brokenReports'>,
  run: Run,
): Promise<readonly string[]> {
  const early = incompleteness(run);
  const warnings = await reportWarnings(store, run.workflowId);
  return early === null ? warnings : [early, ...warnings];
}
