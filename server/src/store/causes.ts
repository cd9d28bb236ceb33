/**
 * The part of the store port that keeps causes of failures across runs. A part of a folding brings the causes of its failures. It is one
 * transaction, so no failure is counted twice.
 *
 * Contract: a cause is found by its keys. The causes that failed longest ago leave when there are too many, and so do those without a
 * kept run. `failures` counts all that were folded since the cause is there, also those of runs that are gone.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import type { PlaceRow, VariantRow } from './test-rows.ts';

export interface NewCause {
  readonly namespace: string;
  readonly project: string;
  readonly title: string;
  readonly sample: string;
  /** Its first failure as JSON: later ones are compared with it. */
  readonly first: string;
}

/** Failures of one variant in one place. */
export interface CauseFailures {
  readonly variantId: string;
  /** Index in the places of the run. */
  readonly place: number;
  readonly count: number;
}

export interface FoldedCause {
  /** A UUID (`causeIdOf`). */
  readonly id: string;
  /** Null for one that is there. */
  readonly made: NewCause | null;
  /** Further keys of it, in hexadecimal digits. */
  readonly keys: readonly string[];
  /** Whether it is new since this run. */
  readonly isNew: boolean;
  /** When the run began. */
  readonly atMs: number;
  readonly failures: readonly CauseFailures[];
}

export interface CauseBounds {
  readonly perNamespace: number;
  readonly all: number;
  /** Variants of a cause; those that failed longest ago leave. */
  readonly variants: number;
  /** Places of runs of a cause; those of the oldest runs leave. */
  readonly runs: number;
}

export interface FoldedCauses {
  readonly bounds: CauseBounds;
  readonly items: readonly FoldedCause[];
}

/** A cause as the projector needs it, once for each of the keys that it was asked for by. */
export interface KnownCause {
  readonly key: string;
  readonly id: string;
  readonly first: string;
  /** When the newest run with it began. */
  readonly seenMs: number;
  readonly keys: number;
  /** The run since which it is new; null for one that is gone. */
  readonly sinceWorkflowId: WorkflowId | null;
  readonly sinceMs: number;
}

/** Ids are null for runs that are gone. */
export interface ListedCause extends Pick<NewCause, 'namespace' | 'project' | 'title'> {
  readonly id: string;
  readonly failures: number;
  /** When the first run with it began; null if it is gone. */
  readonly firstSeen: Timestamp | null;
  readonly sinceMs: number;
  readonly sinceWorkflowId: WorkflowId | null;
  readonly sinceVersion: string | null;
  readonly lastMs: number;
  readonly lastWorkflowId: WorkflowId | null;
  readonly lastVersion: string | null;
}

/** A condition that is absent holds for all. */
export interface CauseConditions {
  readonly namespaces?: readonly string[];
  readonly project?: string;
  /** A part of the title, in letters of either case. */
  readonly search?: string;
  /** Causes of runs that began then or later. */
  readonly sinceMs?: number;
  /** Causes of this test. */
  readonly testId?: string;
}

export interface CauseQuery extends CauseConditions {
  readonly offset: number;
  readonly limit: number;
}

export interface CauseVariant extends VariantRow {
  readonly testId: string;
  readonly suite: string;
  readonly name: string;
  readonly failures: number;
}

/** Failures of a cause in one place of a run. */
export interface CauseRun {
  readonly workflowId: WorkflowId;
  readonly version: string | null;
  readonly branch: string | null;
  readonly createdAt: Timestamp;
  readonly place: PlaceRow | null;
  readonly failures: number;
}

export interface CauseReads {
  /** The project that a run was folded into; null before that. */
  runProject(workflowId: WorkflowId): Promise<string | null>;
  knownCauses(keys: readonly string[], limit: number): Promise<readonly KnownCause[]>;
  /** The causes that failed last come first. */
  causes(query: CauseQuery): Promise<readonly ListedCause[]>;
  countCauses(conditions: CauseConditions): Promise<number>;
  cause(id: string): Promise<(ListedCause & Pick<NewCause, 'sample'>) | null>;
  /** The variants that failed most come first. */
  causeVariants(id: string): Promise<readonly CauseVariant[]>;
  /** The newest come first. */
  causeRuns(id: string): Promise<readonly CauseRun[]>;
}
