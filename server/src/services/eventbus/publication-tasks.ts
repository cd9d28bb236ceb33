/** What is done with large publications in a thread (`document-tasks.ts`). */
import type { Timestamp } from '@tutti/manifests';
import type { Publication } from '../../bus/bus.ts';
import { DOCUMENT_TASK_LIMITS, type DocumentTask } from '../../http/document-tasks.ts';
import type { Problem } from '../../http/validate.ts';

export interface JobsInput {
  readonly jobs: unknown;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** What is wrong with the jobs that a generator answers. */
export const CHECK_JOBS: DocumentTask<JobsInput, readonly Problem[]> = {
  name: 'check-jobs',
  load: async () => (await import('./problems-of-jobs.ts')).problemsOfJobs,
};

export interface PublicationInput {
  readonly content: Uint8Array;
  readonly now: Timestamp;
}

export interface ReadPublication {
  readonly publication: Publication;
  /** Null for what nobody has checked yet, and for kinds that no run takes from outside. */
  readonly checked: {
    /** As a run is told of it; null where that is the same. */
    readonly told: Publication | null;
    readonly problems: readonly Problem[];
  } | null;
}

/** Throws `BadRequest`. */
export const READ_PUBLICATION: DocumentTask<PublicationInput, ReadPublication> = {
  name: 'read-publication',
  load: async () => (await import('./read-publication.ts')).readPublication,
};

/** To check one that is large takes about as long as to parse it. */
export const isLarge = (content: Uint8Array): boolean =>
  content.length > DOCUMENT_TASK_LIMITS.jsonBytesHere;
