/** Groups of runs in the list of all, as the database itself tells them. */

/** Size of a group of runs, by their places. */
export const RUN_GROUP = 100;

/** A text about the runs of a group, in the order of their places. */
export interface RunGroup {
  /** Places of the first and the last one, also of those that were not asked for. */
  readonly first: number;
  readonly last: number;
  /** Parts with commas between them, one for each run that was asked for. Empty without any. */
  readonly text: string;
}

export interface RunGroupQuery {
  /** Place of the last run of the group before, 0 for the first one. */
  readonly after: number;
  /** Null for all. */
  readonly namespaces: readonly string[] | null;
  /** The id as JSON. Or the place, the status and the size of the masks: they differ when the run has changed. */
  readonly part: 'id' | 'state';
}
