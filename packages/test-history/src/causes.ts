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

/** 96 bits of a hash. */
const KEY_DIGITS = 24;

/** A key that finds a cause in its project, in hexadecimal digits. */
export const causeKey = (
  { namespace, project }: { readonly namespace: string; readonly project: string },
  parts: readonly string[],
  sha256: Sha256,
): string => sha256(JSON.stringify([namespace, project, ...parts])).slice(0, KEY_DIGITS);

export const fingerprintKey = (
  of: Parameters<typeof causeKey>[0],
  fingerprint: string,
  sha256: Sha256,
): string => causeKey(of, ['fingerprint', fingerprint], sha256);

/** The first failure of a cause, which further ones are compared with. A cause that took the newest one would drift away. */
export interface FirstFailure {
  readonly normal: NormalFailure;
  readonly shingles: ReadonlySet<string>;
}

export const firstFailure = (normal: NormalFailure): FirstFailure => ({
  normal,
  shingles: shinglesOf(normal.message),
});

/** Failures that are alike share one of these keys nearly always. */
export const bandKeys = ({ normal, shingles }: FirstFailure): readonly string[] =>
  bandsOf(shingles).map((band) => `${normal.type} ${band}`);

/** Whether two failures of one type have one cause. */
export function areAlike(left: FirstFailure, right: FirstFailure): boolean {
  const [one, other] = [left.normal.frames[0], right.normal.frames[0]];
  const isOnePlace = one === undefined || other === undefined || one === other;
  return isOnePlace && jaccard(left.shingles, right.shingles) >= ALIKE;
}

export const titleOf = ({ message, type }: NormalFailure): string => message || type;

/** Failures that look alike. */
interface Group extends FirstFailure {
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
      .map(({ normal, fingerprints, failures }) => ({
        title: titleOf(normal),
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
    const made = { ...firstFailure(normal), fingerprints: [], failures: [] };
    const bands = bandKeys(made);
    const candidates = new Set(bands.flatMap((band) => this.#ofBand.get(band) ?? []));
    const found = [...candidates].find((group) => areAlike(group, made));
    if (found !== undefined) return found;
    if (this.#groups.length === FAILURE_LIMITS.causesMax) return null;
    this.#groups.push(made);
    for (const band of bands) {
      const known = this.#ofBand.get(band);
      if (known === undefined) this.#ofBand.set(band, [made]);
      else known.push(made);
    }
    return made;
  }
}

/** Whether nobody saw a failure of the cause in the last thirty days. `seenMs` is null where nobody ever did. */
export const isNewCause = (seenMs: number | null, nowMs: number): boolean =>
  (seenMs ?? -Infinity) < nowMs - FORGOTTEN_MS;
