/** Whether the server can do its work: what its checks find, shared by all who ask at about the same time. */

export interface FailingCheck {
  /** One word. */
  readonly check: string;
  readonly what: string;
  readonly advice: string;
}

export interface ReadinessReport {
  readonly failing: readonly FailingCheck[];
  /** What was not checked, and why. */
  readonly notes: readonly string[];
}

export interface CheckOutcome {
  /** The failure; null where there is none. */
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
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
  /** Reports are shared for so long. */
  readonly sharedMs: number;
  /** A check that takes longer fails. It goes on, and does not begin again before it ended. */
  readonly lateMs: number;
}

/** Answers with a report. However often it is asked, each check looks once in `sharedMs` at most. */
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
