/** Causes of failures: groups of failures that look alike. */
import { FAILURE_LIMITS } from './limits.ts';
import { bandsOf, shinglesOf } from './min-hash.ts';
import { type Failure, type NormalFailure, normalFailure } from './normal-failure.ts';
import { DAY_MS } from './strip.ts';
import { jaccard } from './together.ts';
import type { Sha256 } from './version.ts';

export interface Cause {
  /** The normalised message of its first failure, else its type. */
  readonly title: string;
  /** Failures with one of these fingerprints belong to it, also in later runs. */
  readonly fingerprints: readonly string[];
  /** Indexes of its failures, in the order in which they were added. */
  readonly failures: readonly number[];
}

const ALIKE = 0.7;
const FORGOTTEN_MS = 30 * DAY_MS;

export const fingerprintOf = ({ type, message, frames }: NormalFailure, sha256: Sha256): string =>
  sha256(JSON.stringify([type, message, frames]));

/** Failures that look alike, with the first of them. */
interface Group {
  readonly first: NormalFailure;
  readonly shingles: ReadonlySet<string>;
  readonly fingerprints: string[];
  readonly failures: number[];
}

/** Groups the failures of a run, one after the other. The cost depends on the different ones among them. */
export class CauseFinder {
  readonly #sha256: Sha256;
  readonly #groups: Group[] = [];
  readonly #ofFingerprint = new Map<string, Group>();
  readonly #ofBand = new Map<string, Group[]>();
  #added = 0;
  #ungrouped = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  add(failure: Failure): void {
    const at = this.#added++;
    const normal = normalFailure(failure);
    const fingerprint = fingerprintOf(normal, this.#sha256);
    const group = this.#ofFingerprint.get(fingerprint) ?? this.#groupOf(normal);
    if (group === null) {
      this.#ungrouped++;
      return;
    }
    if (!this.#ofFingerprint.has(fingerprint)) {
      this.#ofFingerprint.set(fingerprint, group);
      group.fingerprints.push(fingerprint);
    }
    group.failures.push(at);
  }

  /** The largest ones first. */
  get causes(): readonly Cause[] {
    return this.#groups
      .map(({ first, fingerprints, failures }) => ({
        title: first.message || first.type,
        ...{ fingerprints, failures },
      }))
      .sort((left, right) => right.failures.length - left.failures.length);
  }

  /** Failures that were like no other, once there were as many causes as there may be. */
  get ungrouped(): number {
    return this.#ungrouped;
  }

  /** The group of which the first failure is like this one, else a new group. Compares failures of one type that share a band. */
  #groupOf(normal: NormalFailure): Group | null {
    const shingles = shinglesOf(normal.message);
    const bands = bandsOf(shingles).map((band) => `${normal.type} ${band}`);
    const candidates = new Set(bands.flatMap((band) => this.#ofBand.get(band) ?? []));
    const made = { first: normal, shingles, fingerprints: [], failures: [] };
    const found = [...candidates].find((group) => areAlike(group, made));
    if (found !== undefined) return found;
    if (this.#groups.length === FAILURE_LIMITS.causesMax) return null;
    this.#groups.push(made);
    // Only the first failure of a group is compared, so that a group does not drift away from it.
    for (const band of bands) {
      const known = this.#ofBand.get(band);
      if (known === undefined) this.#ofBand.set(band, [made]);
      else known.push(made);
    }
    return made;
  }
}

function areAlike(left: Group, right: Group): boolean {
  const [one, other] = [left.first.frames[0], right.first.frames[0]];
  const isOnePlace = one === undefined || other === undefined || one === other;
  return isOnePlace && jaccard(left.shingles, right.shingles) >= ALIKE;
}

/** Whether nobody saw the cause in the last thirty days. `seenMs` has when each known fingerprint was seen last. */
export const isNewCause = (
  { fingerprints }: Pick<Cause, 'fingerprints'>,
  seenMs: ReadonlyMap<string, number>,
  nowMs: number,
): boolean =>
  fingerprints.every(
    (fingerprint) => (seenMs.get(fingerprint) ?? -Infinity) < nowMs - FORGOTTEN_MS,
  );
