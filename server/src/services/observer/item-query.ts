/** A question to a data source, and the items of the answer. */
import type { WorkflowId } from '@tutti/manifests';
import type { TestScope } from '@tutti/workflow';
import type { PlacesOfQuestion } from './page-places.ts';

/** The selection of one request: `offset` and `limit` count items that `takes` accepts. */
export interface ItemQuery {
  readonly workflowId: WorkflowId;
  /** Selects test cases; null for all. */
  readonly scope: TestScope | null;
  /** Selects the items themselves; null for all. */
  readonly takes: ((item: object) => boolean) | null;
  /** Whether `takes` depends on executions in earlier runs. */
  readonly looksAtExecutions: boolean;
  readonly offset: number;
  readonly limit: number;
  /** Limit for the stored items of a page, in characters. */
  readonly lengthMax: number;
  /** Remembers where pages of selected test cases begin; null if they are not remembered. */
  readonly places: PlacesOfQuestion | null;
}

export interface ItemPage {
  /** JSON of the items. */
  readonly texts: readonly string[];
  /** Number of items on all pages; with `hasMore`, the number counted so far. */
  readonly total: number;
  /** True if uncounted items follow this page. */
  readonly hasMore: boolean;
  /** False when the data source is empty for want of data, and not because everything was filtered out. */
  readonly hasData: boolean;
}
