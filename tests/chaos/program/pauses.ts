/** Pauses, in which no replica wrote, beside the goals for each kind of fault. The database keeps the commit times. */

/** In milliseconds, for one fault at a time on a quiet machine. The database is away for as long as it is: only the rest counts. */
const GOALS_MS = { 'hand-over': 500, takeover: 3_500, 'return of the database': 2_000 } as const;

export interface Pause {
  readonly kind: keyof typeof GOALS_MS;
  readonly ms: number;
}

/** One line for each kind. A verdict is for readers: faults that meet, and a busy machine, make pauses longer. */
export function pauseLines(pauses: readonly Pause[]): readonly string[] {
  return Object.entries(GOALS_MS).map(([kind, goalMs]) => {
    const found = pauses.filter((pause) => pause.kind === kind).map(({ ms }) => ms);
    const sorted = found.sort((one, other) => one - other);
    const kept = sorted.filter((ms) => ms <= goalMs).length;
    const middle = sorted[Math.floor(sorted.length / 2)];
    if (middle === undefined) return `${kind}: none`;
    const verdict = kept === sorted.length ? 'kept' : 'NOT KEPT';
    return `${kind}: median ${middle} ms, longest ${sorted.at(-1)} ms; ${kept} of ${sorted.length} within ${goalMs} ms: ${verdict}`;
  });
}
