import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus, RunDirectory } from '../../bus/bus.ts';
import type { DocumentTasks } from '../../http/document-tasks.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import type { Meters } from '../../runtime/meters.ts';
import type { OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import type { RunMemory } from '../../runtime/run-memory.ts';
import type { Store } from '../../store/store.ts';
import type { StartAdmission } from './start-admission.ts';
import type { SubmissionLimits } from './submission.ts';

export interface ReceptionistDeps {
  readonly store: Pick<Store, 'workflow'>;
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'info' | 'deleteScope'>;
  readonly documents: Pick<DocumentTasks, 'run'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly apiGroup: string;
  readonly limits: SubmissionLimits;
  readonly admission: Pick<StartAdmission, 'admit'>;
  readonly memory: Pick<RunMemory, 'requireRoom' | 'runBytesMax'>;
  /** Whether resource files may be fetched from this machine and from private networks. */
  readonly outgoing: OutgoingPolicy;
  readonly meters: Pick<Meters, 'acceptanceSeconds'>;
  /** Whether the server sends a trace of each run. */
  readonly isTraced: boolean;
  /** Whether other processes may continue the runs started here. */
  readonly isLocal: boolean;
}
