/** Causes of failures: groups of failures that look alike. */
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
  /** Indexes of its failures. */
  readonly failures: readonly number[];
}

const ALIKE = 0.7;
const FORGOTTEN_MS = 30 * DAY_MS;

export const fingerprintOf = ({ type, message, frames }: NormalFailure, sha256: Sha256): string =>
  sha256(JSON.stringify([type, message, frames]));

/** Failures with one fingerprint. */
interface Kind {
  readonly fingerprint: string;
  readonly normal: NormalFailure;
  readonly failures: number[];
  readonly shingles: ReadonlySet<string>;
}

/** Groups the failures of a run; the largest groups first. The cost depends on the different ones among them. */
export function causesOf(failures: readonly Failure[], sha256: Sha256): readonly Cause[] {
  const kinds = kindsOf(failures, sha256);
  return merged(kinds)
    .map((group) => ({
      title: titleOf(group),
      fingerprints: group.map(({ fingerprint }) => fingerprint),
      failures: group.flatMap((kind) => kind.failures).sort((left, right) => left - right),
    }))
    .sort((left, right) => right.failures.length - left.failures.length);
}

function kindsOf(failures: readonly Failure[], sha256: Sha256): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  failures.forEach((failure, at) => {
    const normal = normalFailure(failure);
    const fingerprint = fingerprintOf(normal, sha256);
    const known = kinds.get(fingerprint);
    if (known !== undefined) known.failures.push(at);
    else {
      const shingles = shinglesOf(normal.message);
      kinds.set(fingerprint, { fingerprint, normal, failures: [at], shingles });
    }
  });
  return [...kinds.values()];
}

/** Compares kinds that share a band, within one type. A kind joins the first group of which the first kind is like it. */
function merged(kinds: readonly Kind[]): readonly (readonly Kind[])[] {
  const ofBand = new Map<string, Set<Kind[]>>();
  const groups: Kind[][] = [];
  for (const kind of kinds) {
    const bands = bandsOf(kind.shingles).map((band) => `${kind.normal.type} ${band}`);
    const candidates = new Set(bands.flatMap((band) => [...(ofBand.get(band) ?? [])]));
    const found = [...candidates].find(([first]) => first !== undefined && areAlike(first, kind));
    const group = found ?? [];
    if (found === undefined) groups.push(group);
    group.push(kind);
    // Only the first kind of a group is compared, so that a group does not drift away from it.
    if (found !== undefined) continue;
    for (const band of bands) ofBand.set(band, (ofBand.get(band) ?? new Set()).add(group));
  }
  return groups;
}

function areAlike(left: Kind, right: Kind): boolean {
  const [one, other] = [left.normal.frames[0], right.normal.frames[0]];
  const isOnePlace = one === undefined || other === undefined || one === other;
  return isOnePlace && jaccard(left.shingles, right.shingles) >= ALIKE;
}

function titleOf([first]: readonly Kind[]): string {
  return first?.normal.message || first?.normal.type || '';
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
