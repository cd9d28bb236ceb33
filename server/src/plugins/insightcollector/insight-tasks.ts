/** Tasks about definitions of insights; a thread carries out tasks with large texts (`document-tasks.ts`). */
import type { DocumentTask } from '../../http/document-tasks.ts';
import { loadedOnce } from '../../runtime/loaded-once.ts';
import type { InsightsInput, WantedInsights } from './wanted-insights.ts';

export const READ_INSIGHTS: DocumentTask<InsightsInput, WantedInsights> = {
  name: 'read-insights',
  load: loadedOnce(async () => (await import('./wanted-insights.ts')).wantedInsights),
};
