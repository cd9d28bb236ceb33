/** Content of a report, without its look. */
import type { TestCounts } from '@tutti/workflow';

/** Kinds of columns. A cell of `details` has a message in the first line, and details below it. */
export type ColumnKind = 'text' | 'details' | 'outcome' | 'duration' | 'time' | 'number';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  /** Numbers in columns of numbers and durations (milliseconds), where there is one. */
  readonly values: readonly (string | number)[];
}

export interface TableModel {
  readonly kind: 'Table';
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Items that are not shown, for want of room or because the definition wants no more. */
  readonly left: number;
}

export interface SummaryModel {
  readonly kind: 'SummaryBlock';
  readonly counts: TestCounts;
  readonly total: number;
  /** Duration of all test cases together, in milliseconds. */
  readonly durationMs: number;
  /** Test cases that were executed more than once. */
  readonly repeated: number;
}

export interface CloudModel {
  readonly kind: 'Cloud';
  readonly words: readonly {
    readonly label: string;
    readonly weight: number;
    readonly phase: string;
    /** Test cases that did not pass; null where the weight is not their number. */
    readonly failed: number | null;
  }[];
  readonly left: number;
}

/** Values of one group, one for each category. */
export interface Bar {
  readonly label: string;
  readonly values: readonly number[];
}

interface Chart {
  /** Whether values are durations, in milliseconds. */
  readonly isDuration: boolean;
  readonly legend: Legend;
  readonly left: number;
}

/** Null for none. */
export type Legend = { readonly title: string } | null;

export interface ProgressModel extends Chart {
  readonly kind: 'ProgressBar';
  readonly categories: readonly string[];
  readonly bars: readonly Bar[];
  /** Value of the longest bar, where bars are compared with each other; null where each is a whole. */
  readonly max: number | null;
}

export interface AxisModel {
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

export interface BarChartModel extends Chart {
  readonly kind: 'BarChart';
  readonly categories: readonly string[];
  readonly bars: readonly Bar[];
  readonly orientation: 'horizontal' | 'vertical';
  readonly primaryTitle: string;
  readonly axis: AxisModel;
}

export interface ScatterModel extends Chart {
  readonly kind: 'ScatterChart';
  /** `y` is null where the chart has one axis: then each series has a line of its own. */
  readonly series: readonly {
    readonly label: string;
    readonly count: number;
    readonly points: readonly { readonly x: number; readonly y: number | null }[];
  }[];
  readonly primary: AxisModel;
  readonly secondary: AxisModel | null;
  readonly isSecondaryDuration: boolean;
}

/** Instead of a section that cannot be made. */
export interface NoteModel {
  readonly kind: 'Note';
  readonly text: string;
}

export type SectionModel =
  | TableModel
  | SummaryModel
  | CloudModel
  | ProgressModel
  | BarChartModel
  | ScatterModel
  | NoteModel;

export interface NamedSection {
  readonly name: string;
  readonly model: SectionModel;
}
