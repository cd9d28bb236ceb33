/** Bounds of a summary report: what tests say goes into one file that a browser opens. */
export const SUMMARY_LIMITS = {
  /** Rows of one table. A browser shows a part of them at a time, and has all of them in memory. */
  rows: 200_000,
  /** Text of all tables of a report, in characters. */
  textLength: 64 * 1024 * 1024,
  /** Text of one cell, in characters, in the first rows of a table and in those after them. */
  cellLength: 8 * 1024,
  fullRows: 1_000,
  laterCellLength: 512,
  columns: 32,
  /** Groups of a chart that are counted apart; further ones count as one. */
  groups: 10_000,
  /** Groups of a chart that are shown, unless the definition says. */
  groupsShown: 30,
  groupsShownMax: 500,
  /** Kinds of values that a bar may have, each with a colour of its own. */
  categories: 12,
  /** Points of a chart; of more, so many are drawn that stand for all. */
  points: 2_000,
  /** Characters of the name of a group. */
  labelLength: 256,
  /** Jobs of a cloud. */
  words: 500,
} as const;
