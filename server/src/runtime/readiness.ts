/** The readiness of the server: results of its checks, shared by concurrent requests. */

export interface FailingCheck {
  /** Name of the check, one word. */
  readonly check: string;
  readonly what: string;
  readonly advice: string;
}

export interface ReadinessReport {
  readonly failing: readonly FailingCheck[];
  /** Skipped checks, with their reasons. */
  readonly notes: readonly string[];
}

export interface CheckOutcome {
  /** The failure; null if there is none. */
  readonly problem: Omit<FailingCheck, 'check'> | null;
  readonly note?: string;
}

export interface ReadinessCheck {
  readonly name: string;
  /** Advice for a check that does not end or cannot look. */
  readonly adviceElse: string;
  look(): Promise<CheckOutcome>;
}

export interface ReadinessOptions {
  readonly checks: readonly ReadinessCheck[];
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Reports are shared for so long. */
  readonly sharedMs: number;
  /** Timeout of a check. A late check continues, and does not start again before its end. */
  readonly lateMs: number;
}

/** Returns a report. Each check runs at most once in `sharedMs`. */
export function createReadiness(options: ReadinessOptions): () => Promise<ReadinessReport> {
  const { now, sharedMs } = options;
  const looks = options.checks.map((check) => createLook(check, options.lateMs));
  const reportOf = async (): Promise<ReadinessReport> => {
    const found = await Promise.all(looks.map((look) => look()));
    return {
      failing: found.flatMap(({ failing }) => failing ?? []),
      notes: found.flatMap(({ note }) => note ?? []),
    };
  };
  let report: Promise<ReadinessReport> | null = null;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  return () => {
    if (report !== null && now() < freshUntilMs) return report;
    freshUntilMs = Number.POSITIVE_INFINITY;
    report = reportOf().finally(() => {
      freshUntilMs = now() + sharedMs;
    });
    return report;
  };
}

interface Found {
  readonly failing: FailingCheck | null;
  readonly note?: string | undefined;
}

function createLook(check: ReadinessCheck, lateMs: number): () => Promise<Found> {
  let underWay: Promise<Found> | null = null;
  return () => {
    underWay ??= lookWith(check).finally(() => {
      underWay = null;
    });
    return inTime(underWay, check, lateMs);
  };
}

async function lookWith(check: ReadinessCheck): Promise<Found> {
  try {
    const { problem, note } = await check.look();
    return { failing: problem && { check: check.name, ...problem }, note };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return { failing: { check: check.name, what, advice: check.adviceElse } };
  }
}

async function inTime(looking: Promise<Found>, check: ReadinessCheck, ms: number): Promise<Found> {
  const { name, adviceElse: advice } = check;
  const late = Promise.withResolvers<Found>();
  const what = `No result after ${ms / 1000} s.`;
  const timer = setTimeout(() => late.resolve({ failing: { check: name, what, advice } }), ms);
  try {
    return await Promise.race([looking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
