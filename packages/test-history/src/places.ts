/** Where a test fails: agents, tags, systems, cells and hours at which it fails much more often than elsewhere. */

export const PLACE_RULES = {
  failuresMin: 3,
  /** After the correction for the number of values. */
  pMax: 0.001,
  /** Elsewhere, it fails at most this part as often. */
  elsewhereMax: 1 / 4,
} as const;

/** The kinds of values that are compared. */
export type PlaceKind = 'agent' | 'tag' | 'os' | 'cell' | 'hours';

export interface PlacedExecution {
  readonly isFailed: boolean;
  /** An execution may have several tags. */
  readonly places: readonly (readonly [kind: PlaceKind, value: string])[];
}

export interface FailingPlace {
  readonly kind: PlaceKind;
  readonly value: string;
  readonly failed: number;
  readonly of: number;
  readonly elsewhere: readonly [failed: number, of: number];
  /** Fisher's exact probability, times the number of values that were compared. */
  readonly p: number;
}

const HOURS = 4;

/** Six blocks of four hours, in UTC: `08-12`. */
export function hourBlock(atMs: number): string {
  const from = Math.floor(new Date(atMs).getUTCHours() / HOURS) * HOURS;
  return [from, from + HOURS].map((hour) => String(hour).padStart(2, '0')).join('-');
}

/** The most significant first. */
export function failingPlaces(executions: readonly PlacedExecution[]): readonly FailingPlace[] {
  const failed = executions.filter(({ isFailed }) => isFailed).length;
  if (failed < PLACE_RULES.failuresMin) return [];
  const compared = [...countsOf(executions).values()].filter(({ of }) => of < executions.length);
  return compared
    .map((place): FailingPlace => {
      const elsewhere = [failed - place.failed, executions.length - place.of] as const;
      const p = fisher([place.failed, place.of], elsewhere);
      return { ...place, elsewhere, p: Math.min(p * compared.length, 1) };
    })
    .filter(({ failed: here, of, elsewhere, p }) => {
      const rateElsewhere = elsewhere[0] / elsewhere[1];
      return p <= PLACE_RULES.pMax && rateElsewhere <= (PLACE_RULES.elsewhereMax * here) / of;
    })
    .sort((left, right) => left.p - right.p);
}

interface Count extends Pick<FailingPlace, 'kind' | 'value'> {
  failed: number;
  of: number;
}

function countsOf(executions: readonly PlacedExecution[]): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const { isFailed, places } of executions) {
    for (const [kind, value] of places) {
      const key = `${kind} ${value}`;
      const count = counts.get(key) ?? { kind, value, failed: 0, of: 0 };
      count.of++;
      if (isFailed) count.failed++;
      counts.set(key, count);
    }
  }
  return counts;
}

type Failures = readonly [failed: number, of: number];

/** The probability that chance puts as many failures here, or more. One-sided: a place where a test never fails is no problem. */
export function fisher(
  [failedHere, here]: Failures,
  [failedElsewhere, elsewhere]: Failures,
): number {
  const failed = failedHere + failedElsewhere;
  const all = logBinomial(here + elsewhere, failed);
  let sum = 0;
  for (let count = failedHere; count <= Math.min(failed, here); count++) {
    sum += Math.exp(logBinomial(here, count) + logBinomial(elsewhere, failed - count) - all);
  }
  return Math.min(sum, 1);
}

/** Grows to the largest number of executions that was asked for. */
const logFactorials = [0];

function logFactorial(value: number): number {
  for (let next = logFactorials.length; next <= value; next++) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[value] ?? 0;
}

/** Minus infinity where there is no such choice. */
const logBinomial = (of: number, chosen: number): number =>
  chosen < 0 || chosen > of
    ? -Infinity
    : logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
