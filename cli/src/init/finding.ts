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
  /** True if the step runs the tests of its kind in the folders below, too. */
  readonly isForBelow: boolean;
  /** Sentences about what the step does not do. */
  readonly undone?: readonly string[];
  /** Jobs of folders below that this one gives way to. */
  readonly givesWayTo?: readonly string[];
}

export interface Preparation {
  readonly commands: readonly string[];
  /** The comment above the step; none if empty. */
  readonly note: string;
  /** True if this folder already did it: then only sources that were checked out need it. */
  readonly isDone: boolean;
  /** True if it has to run in the folder that was searched, wherever the tests are. */
  readonly isOfRoot?: boolean;
}

export type TestStep =
  | { readonly run: string }
  | { readonly uses: string; readonly with: Readonly<Record<string, Input>> };

/** An input of a function; a list of words. */
export type Input = string | boolean | readonly string[];

export interface Surroundings {
  /** The folder that was searched. */
  readonly root: Folder;
  /** The place of the folder in the root, with `/`; empty for the root. */
  readonly path: string;
  /** Whether the workflow runs on Windows, with other shells. */
  readonly isWindows: boolean;
}

/** Finds the tests of one technology in a folder. */
export type Detector = (folder: Folder, surroundings: Surroundings) => readonly Finding[];
