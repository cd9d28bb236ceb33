/** Messages between the page and the worker that checks workflows. */
import type { InputDeclarations } from '@tutti/manifests';
import type { WorkflowPlan } from '@tutti/workflow/plan';
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';

export type Question =
  | {
      readonly kind: 'check';
      readonly text: string;
      readonly inputs: Readonly<Record<string, string>>;
      readonly namespace: string;
    }
  /** Makes a file of the manifest of a run. */
  | { readonly kind: 'write'; readonly manifest: Readonly<Record<string, unknown>> };

export interface Checked {
  readonly diagnostics: readonly WorkflowDiagnostic[];
  readonly moreCount: number;
  readonly isValid: boolean;
  /** Null while the workflow has errors. */
  readonly inputs: InputDeclarations | null;
  /** Problems of the given inputs, by their names. */
  readonly inputProblems: Readonly<Record<string, string>>;
  readonly plan: WorkflowPlan | null;
  /** Names of files that a run needs and the workflow does not have. */
  readonly files: readonly string[];
  /** Why the workflow was not checked; null if it was. */
  readonly failure: string | null;
}

export interface Written {
  readonly text: string;
  readonly files: readonly string[];
}
