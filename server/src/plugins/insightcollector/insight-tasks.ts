/** What is done with insights of requests, in a thread where their text is large (`document-tasks.ts`). */
import type { DocumentTask } from '../../http/document-tasks.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { InsightsInput, WantedInsights } from './wanted-insights.ts';

export const READ_INSIGHTS: DocumentTask<InsightsInput, WantedInsights> = {
  name: 'read-insights',
  load: loadedOnce(async () => (await import('./wanted-insights.ts')).wantedInsights),
};
