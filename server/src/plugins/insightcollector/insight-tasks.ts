/** What is done with insights of requests, in a thread where their text is large (`document-tasks.ts`). */
import type { DocumentTask } from '../../http/document-tasks.ts';
import type { DefinitionSource } from '../../http/posted-definition.ts';
import type { InsightDefinition } from './insight-document.ts';

export interface InsightsInput {
  readonly source: DefinitionSource;
  /** Which of them are wanted: a name, or a pattern of names. */
  readonly pattern: string;
}

export interface WantedInsights {
  readonly wanted: readonly InsightDefinition[];
  /** What is taken in them, and yet cannot be meant, as sentences. */
  readonly warnings: readonly string[];
}

export const READ_INSIGHTS: DocumentTask<InsightsInput, WantedInsights> = {
  name: 'read-insights',
  load: async () => (await import('./wanted-insights.ts')).wantedInsights,
};
