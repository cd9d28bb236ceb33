/** What tests a folder has, and how a workflow runs them. */

/** A folder, read only as far as it is asked for. Paths are relative to it, with `/`. */
export interface Folder {
  /** Its own name. */
  readonly name: string;
  /** The names of files and folders in it, sorted. A name of a folder ends in `/`. */
  readonly entries: readonly string[];
  /** The text of a file; null where there is none, or none of a reasonable size. */
  text(path: string): string | null;
  /** The same as `entries` for a folder in it; empty where there is none. */
  list(path: string): readonly string[];
}

export interface Finding {
  /** The name of its job, unless another one has it: letters, digits, `-` and `_`. */
  readonly job: string;
  /** What was found, as in "Vitest, by package.json". */
  readonly title: string;
  /** Programs that the environment needs. */
  readonly programs: readonly string[];
  /** A command that has to run before the tests on a machine that never ran them. */
  readonly preparation: Preparation | null;
  readonly step: TestStep;
  /** Said above the step, one line each. */
  readonly notes: readonly string[];
}

export interface Preparation {
  readonly command: string;
  /** True where it was done in this folder before: then it stands in the workflow as a comment. */
  readonly isDone: boolean;
}

export type TestStep =
  | { readonly run: string }
  | { readonly uses: string; readonly with: Readonly<Record<string, string | boolean>> };

/** Finds what it knows in a folder. */
export type Detector = (folder: Folder) => readonly Finding[];
