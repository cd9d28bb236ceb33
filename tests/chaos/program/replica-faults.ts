/** Does to what several replicas share, and to the connections between them, what machines and networks do. */
import { setTimeout as pause } from 'node:timers/promises';
import type { S3Fault } from '../../support/s3-faults.ts';
import type { BucketFault, DatabaseMoment, ReplicaAction } from './fault-plan.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { Happenings } from './happenings.ts';
import type { ReplicaPlace } from './replica-place.ts';

export interface ReplicaFaultsOptions {
  readonly place: ReplicaPlace;
  readonly happenings: Happenings;
  /** Between clients and the replicas. */
  readonly clients: FaultProxy;
}

type SharedAction = Exclude<
  ReplicaAction,
  { readonly kind: 'kill-two' | 'kill-leaving' | 'rolling-restart' }
>;
type ActionOf<Kind> = Extract<SharedAction, { readonly kind: Kind }>;

/** Texts of these statements alone. */
const TEXTS: Readonly<Record<DatabaseMoment, string>> = {
  batch: 'tutti-',
  commit: 'COMMIT',
  heartbeat: 'UPDATE replicas SET beat',
};

export class ReplicaFaults {
  readonly #options: ReplicaFaultsOptions;
  #bucketFaults = 0;

  constructor(options: ReplicaFaultsOptions) {
    this.#options = options;
  }

  /** `active` is the number of the active replica. */
  async act(action: SharedAction, active: number): Promise<void> {
    const { place, happenings } = this.#options;
    happenings.count(`${action.kind} of replicas`);
    if (action.kind === 'fail-over') await place.databases.failOver();
    if (action.kind === 'cut-database') {
      for (const proxy of place.sites[active]?.databaseProxies ?? []) {
        proxy.cutAt(TEXTS[action.at], action.isAnswer);
      }
    }
    if (action.kind === 'bucket') await this.#disturbBucket(action);
    if (action.kind === 'cut-between') await this.#cutBetween(action);
    if (action.kind === 'part-replica') await this.#part(action);
  }

  async #disturbBucket({ fault, ms }: ActionOf<'bucket'>): Promise<void> {
    const { bucket } = this.#options.place;
    this.#bucketFaults += 1;
    bucket.fail(s3Fault(fault), { times: Number.POSITIVE_INFINITY });
    await pause(ms);
    this.#bucketFaults -= 1;
    if (this.#bucketFaults === 0) bucket.fail('lost', { times: 0 });
  }

  async #cutBetween({ whom, count, bytes, ms }: ActionOf<'cut-between'>): Promise<void> {
    const proxies = whom === 'clients' ? [this.#options.clients] : this.#links();
    for (const proxy of proxies) proxy.cutAnswers(count, bytes);
    await pause(ms);
    for (const proxy of proxies) proxy.cutAnswers(0, 0);
  }

  /** A replica that reaches no other one; it reaches the database. */
  async #part({ share, isSilent, ms }: ActionOf<'part-replica'>): Promise<void> {
    const { sites } = this.#options.place;
    const parted = sites[Math.floor(share * sites.length)];
    const met = sites.flatMap(({ port, links }) =>
      [...links].filter(([other]) => port === parted?.port || other === parted?.port),
    );
    for (const [, link] of met) {
      if (isSilent) link.isStalled = true;
      else link.refuse();
    }
    await pause(ms);
    for (const [, link] of met) {
      if (isSilent) link.isStalled = false;
      else link.accept();
    }
  }

  #links(): readonly FaultProxy[] {
    return this.#options.place.sites.flatMap(({ links }) => [...links.values()]);
  }
}

const s3Fault = (fault: BucketFault): S3Fault =>
  fault === 'refused' ? { status: 503, code: 'ServiceUnavailable' } : fault;
