/**
 * Executions of 32 neighbouring variants in one run, as the bytes of one row. A row for each would take fifteen times the room. Variants
 * get their numbers in the order of their first run, and most runs have the same order.
 */

const VARIANTS = 32;
/** Outcomes have the three lowest bits of a number. */
const OUTCOMES = 8;

export interface NumberedExecution {
  /** The number of its variant. */
  readonly variant: number;
  readonly attempt: number;
  readonly outcome: number;
  readonly place: number;
  /** Since the begin of its run. */
  readonly startedMs: number;
  readonly durationUs: number;
}

export const partOf = (variant: number): number => Math.floor(variant / VARIANTS);

/** All of them are of one part. */
export function packExecutions(executions: readonly NumberedExecution[]): Buffer {
  const sorted = executions.toSorted(
    (one, other) => one.variant - other.variant || one.attempt - other.attempt,
  );
  const bytes: number[] = [];
  let before = partOf(sorted[0]?.variant ?? 0) * VARIANTS;
  for (const { variant, attempt, outcome, place, startedMs, durationUs } of sorted) {
    for (const value of [
      (variant - before) * OUTCOMES + outcome,
      attempt,
      place,
      // Clocks differ, so that an execution may have begun before its run.
      startedMs < 0 ? -2 * startedMs - 1 : 2 * startedMs,
      Math.max(durationUs, 0),
    ]) {
      pushWhole(bytes, value);
    }
    before = variant;
  }
  return Buffer.from(bytes);
}

/** Seven bits in each byte, the lowest first. */
function pushWhole(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** In the order of variants and attempts. */
export function unpackExecutions(part: number, bytes: Uint8Array): readonly NumberedExecution[] {
  const executions: NumberedExecution[] = [];
  let at = 0;
  const whole = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  for (let variant = part * VARIANTS; at < bytes.length; ) {
    const first = whole();
    variant += Math.floor(first / OUTCOMES);
    const [attempt, place, started, durationUs] = [whole(), whole(), whole(), whole()];
    executions.push({
      ...{ variant, attempt, outcome: first % OUTCOMES, place, durationUs },
      startedMs: started % 2 === 0 ? started / 2 : -(started + 1) / 2,
    });
  }
  return executions;
}
