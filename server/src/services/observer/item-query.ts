/** What is asked of a data source, and what the answer is made of. */
import { OrchestratorError, type WorkflowId } from '@tutti/manifests';
import type { TestScope } from '@tutti/workflow';
import type { PlacesOfQuestion } from './page-places.ts';

/** What one request chooses: `offset` and `limit` count the items that `takes` lets through. */
export interface ItemQuery {
  readonly workflowId: WorkflowId;
  /** On test cases; null for all of them. */
  readonly scope: TestScope | null;
  /** On the items themselves; null for all of them. */
  readonly takes: ((item: object) => boolean) | null;
  /** Whether `takes` depends on executions in earlier runs. */
  readonly looksAtExecutions: boolean;
  readonly offset: number;
  readonly limit: number;
  /** Of the items of a page as they are stored, in characters. */
  readonly lengthMax: number;
  /** Where pages of chosen test cases begin; null where that is not remembered. */
  readonly places: PlacesOfQuestion | null;
}

export interface ItemPage {
  /** JSON of the items. */
  readonly texts: readonly string[];
  /** Of all pages; where `hasMore`, those that were counted. */
  readonly total: number;
  /** True when there are more items than this page and those before, and not all of them were counted. */
  readonly hasMore: boolean;
  /** False when the data source is empty for want of data, and not because everything was filtered out. */
  readonly hasData: boolean;
}

/** Counts the texts of a page; throws `Invalid` where they are more than one page may have in memory. */
export function pageLength({ lengthMax }: Pick<ItemQuery, 'lengthMax'>): (text: string) => void {
  let length = 0;
  return (text) => {
    length += text.length;
    if (length <= lengthMax) return;
    throw new OrchestratorError(
      'Invalid',
      `The page has more than ${lengthMax} characters, for which the server has no memory. Ask for fewer items with per_page.`,
    );
  };
}
