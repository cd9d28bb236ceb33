/** The tests found in a folder, and the steps that run them. */

/** A folder that is read on demand. Paths are relative to it, with `/`. */
export interface Folder {
  /** Name of the folder. */
  readonly name: string;
  /** Sorted names of its files and folders. A folder's name ends in `/`. */
  readonly entries: readonly string[];
  /** The text of a file; null if it is missing or too large. */
  text(path: string): string | null;
  /** Entries of an inner folder; empty if it is missing. */
  list(path: string): readonly string[];
}

export interface Finding {
  /** The name of its job, unless another one has it: letters, digits, `-` and `_`. */
  readonly job: string;
  /** Kind of the tests, as in "Vitest, by package.json". */
  readonly title: string;
  /** Programs that the environment needs. */
  readonly programs: readonly string[];
  /** Steps before the tests, in their order. */
  readonly preparations: readonly Preparation[];
  readonly step: TestStep;
  /** Comments above the step, one line each. */
  readonly notes: readonly string[];
}

export interface Preparation {
  readonly commands: readonly string[];
  /** The comment above the step; none if empty. */
  readonly note: string;
  /** True if this folder already did it: then the workflow has it as a comment. */
  readonly isDone: boolean;
}

export type TestStep =
  | { readonly run: string }
  | { readonly uses: string; readonly with: Readonly<Record<string, string | boolean>> };

/** Finds the tests of one technology in a folder, for a workflow that runs on Windows or on another system. */
export type Detector = (folder: Folder, isWindows: boolean) => readonly Finding[];
