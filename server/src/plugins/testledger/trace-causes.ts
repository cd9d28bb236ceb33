/** Finds the causes of the failures of a page. A failure that is like no known cause makes a new one. */
import { hash } from 'node:crypto';
import {
  areAlike,
  bandKeys,
  causeIdOf,
  causeKey,
  FAILURE_LIMITS,
  type Failure,
  type FirstFailure,
  fingerprintKey,
  fingerprintOf,
  firstFailure,
  isNewCause,
  type NormalFailure,
  normalFailure,
  titleOf,
} from '@tutti/test-history';
import type { CauseFailures, FoldedCause, KnownCause, NewCause } from '../../store/causes.ts';
import type { Store } from '../../store/store.ts';
import { CAUSE_LIMITS } from './limits.ts';

/** A failed execution of a variant. */
export interface TracedFailure {
  readonly failure: Failure;
  readonly variantId: string;
  readonly place: number;
}

/** Where and when the failures happened. */
export interface TracedRun {
  readonly namespace: string;
  readonly project: string;
  /** When the run began. */
  readonly atMs: number;
}

const sha256 = (text: string): string => hash('sha256', text);
const sha1 = (bytes: Uint8Array): string => hash('sha1', bytes);

/** Failures with one fingerprint. */
interface Alike {
  readonly normal: NormalFailure;
  readonly fingerprint: string;
  readonly sample: Failure;
  readonly failures: TracedFailure[];
}

/** A cause while the failures of a page are added to it. */
interface Traced {
  readonly id: string;
  readonly made: NewCause | null;
  readonly first: FirstFailure;
  readonly isNew: boolean;
  readonly keys: string[];
  keysLeft: number;
  readonly failures: TracedFailure[];
}

type CauseStore = Pick<Store, 'knownCauses'>;

/** Traces the pages of one run. */
export class CauseTracer {
  readonly #store: CauseStore;
  readonly #run: TracedRun;
  /** Failures of other fingerprints that may still be compared with causes, or become one. */
  #left: number = FAILURE_LIMITS.causesMax;

  constructor(store: CauseStore, run: TracedRun) {
    this.#store = store;
    this.#run = run;
  }

  async trace(failures: readonly TracedFailure[]): Promise<readonly FoldedCause[]> {
    if (failures.length === 0) return [];
    const groups = groupsOf(failures);
    const keys = [...groups.keys()].map((each) => this.#fingerprintKey(each));
    const known = new Map(
      (await this.#store.knownCauses(keys, keys.length)).map((each) => [each.key, each]),
    );
    const traced = new Map<string, Traced>();
    for (const group of groups.values()) {
      const key = this.#fingerprintKey(group.fingerprint);
      const stored = known.get(key);
      const cause =
        stored === undefined ? await this.#causeOf(group, traced) : this.#tracedOf(stored, traced);
      if (cause === null) continue;
      cause.failures.push(...group.failures);
      if (stored !== undefined || cause.keysLeft === 0) continue;
      cause.keys.push(key);
      cause.keysLeft -= 1;
    }
    return [...traced.values()].map((each) => this.#folded(each));
  }

  #fingerprintKey(fingerprint: string): string {
    return fingerprintKey(this.#run, fingerprint, sha256);
  }

  /** The cause that a failure with another fingerprint is like, else a new one. Null where the run had too many of them. */
  async #causeOf(group: Alike, traced: Map<string, Traced>): Promise<Traced | null> {
    if (this.#left === 0) return null;
    this.#left -= 1;
    const first = firstFailure(group.normal);
    const isLike = (other: FirstFailure) =>
      other.normal.type === group.normal.type && areAlike(other, first);
    const onPage = [...traced.values()].find((each) => isLike(each.first));
    if (onPage !== undefined) return onPage;
    const asked = this.#bandKeys(first, framesToAsk(group.normal));
    const stored = await this.#store.knownCauses(asked, CAUSE_LIMITS.candidates);
    const alike = stored.find((each) => isLike(firstOf(each)));
    return alike === undefined ? this.#made(group, first, traced) : this.#tracedOf(alike, traced);
  }

  #bandKeys(first: FirstFailure, frames: readonly string[]): string[] {
    const bands = bandKeys(first);
    return frames.flatMap((frame) =>
      bands.map((band) => causeKey(this.#run, ['band', frame, band], sha256)),
    );
  }

  #tracedOf(known: KnownCause, traced: Map<string, Traced>): Traced {
    const there = traced.get(known.id);
    if (there !== undefined) return there;
    const cause = {
      ...{ id: known.id, made: null, first: firstOf(known), keys: [], failures: [] },
      isNew: isNewCause(known.seenMs, this.#run.atMs),
      keysLeft: Math.max(0, CAUSE_LIMITS.keys - known.keys),
    };
    traced.set(known.id, cause);
    return cause;
  }

  #made(group: Alike, first: FirstFailure, traced: Map<string, Traced>): Traced {
    const { namespace, project } = this.#run;
    const id = causeIdOf(this.#run, group.fingerprint, sha1);
    const keys = this.#bandKeys(first, framesToFind(group.normal));
    const cause = {
      ...{ id, first, isNew: true, keys, failures: [] },
      keysLeft: CAUSE_LIMITS.keys - keys.length,
      made: {
        ...{ namespace, project, title: titleOf(group.normal) },
        sample: sampleOf(group.sample),
        first: JSON.stringify(group.normal),
      },
    };
    traced.set(id, cause);
    return cause;
  }

  #folded({ id, made, keys, isNew, failures }: Traced): FoldedCause {
    return { id, made, keys, isNew, atMs: this.#run.atMs, failures: countsOf(failures) };
  }
}

/** Stands for any first frame. */
const ANY = '*';
/** Two frames differ, unless there is none in one of both. So a cause is found by its frame, and by any. */
const framesToFind = ({ frames: [frame] }: NormalFailure): readonly string[] =>
  frame === undefined ? ['', ANY] : [`:${frame}`, ANY];
const framesToAsk = ({ frames: [frame] }: NormalFailure): readonly string[] =>
  frame === undefined ? [ANY] : [`:${frame}`, ''];

function firstOf({ first }: KnownCause): FirstFailure {
  const normal: NormalFailure = JSON.parse(first);
  return firstFailure(normal);
}

/** By their fingerprints. */
function groupsOf(failures: readonly TracedFailure[]): ReadonlyMap<string, Alike> {
  const groups = new Map<string, Alike>();
  for (const each of failures) {
    const normal = normalFailure(each.failure);
    const fingerprint = fingerprintOf(normal, sha256);
    const group = groups.get(fingerprint);
    if (group !== undefined) group.failures.push(each);
    else groups.set(fingerprint, { normal, fingerprint, sample: each.failure, failures: [each] });
  }
  return groups;
}

/** The text of a report, cut at a character. */
function sampleOf({ type, message, stack }: Failure): string {
  const head = [type, message].filter((text) => text !== '').join(': ');
  const text = [head, stack].filter((part) => part !== '').join('\n');
  const bytes = Buffer.from(text.slice(0, CAUSE_LIMITS.sampleBytes));
  return new TextDecoder().decode(bytes.subarray(0, CAUSE_LIMITS.sampleBytes), { stream: true });
}

/** One for each variant in each place. */
function countsOf(failures: readonly TracedFailure[]): readonly CauseFailures[] {
  const counts = new Map<string, CauseFailures>();
  for (const { variantId, place } of failures) {
    const key = `${variantId} ${place}`;
    counts.set(key, { variantId, place, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
