/** What really happened, when, and how often: what violations are judged by, and what is told in the end. */

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was done to one process of an agent. */
export interface AgentRecord {
  /** `aSLOT.NUMBER`, of this process alone. */
  readonly name: string;
  readonly workspaceDir: string;
  readonly outages: Outage[];
  killedAtMs: number | null;
  /** It was told to stop, and did. */
  hasStopped: boolean;
}

/** One process of the server. */
export interface ServerRecord {
  readonly fromMs: number;
  readonly clockOffsetMs: number;
  toMs: number;
}

export class Happenings {
  readonly startedMs = Date.now();
  readonly agents = new Map<string, AgentRecord>();
  /** Names of agents by the ids of their registrations. */
  readonly agentNames = new Map<string, string>();
  readonly servers: ServerRecord[] = [];
  /** When the disk of the server had no room. */
  readonly fullDisks: Outage[] = [];
  /** When waiting for it failed. */
  readonly failingDisks: Outage[] = [];
  readonly violations: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #lines: string[] = [];

  count(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  countOf(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** One line of what happens, with its time since the start. */
  note(text: string): void {
    this.#lines.push(`${String(Date.now() - this.startedMs).padStart(7)} ms ${text}`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  violation(text: string): void {
    this.note(`VIOLATION ${text}`);
    this.violations.push(text);
  }

  /** The time that an event has by the clock of the server, as the true time; null if no server can have written it. */
  trueTime(timestamp: string): number | null {
    const shown = Date.parse(`${timestamp}Z`);
    for (const { fromMs, toMs, clockOffsetMs } of this.servers) {
      const trueMs = shown - clockOffsetMs;
      if (trueMs >= fromMs - CLOCK_SLACK_MS && trueMs <= toMs + CLOCK_SLACK_MS) return trueMs;
    }
    return null;
  }

  /** Whether the disk had no room at some moment of this time. */
  wasDiskFull(fromMs: number, toMs: number): boolean {
    return this.fullDisks.some((full) => full.fromMs <= toMs && full.toMs >= fromMs);
  }

  /** Whether the clock of the server was set within this time. */
  hasClockJumped(fromMs: number, toMs: number): boolean {
    const met = this.servers.filter((server) => server.fromMs <= toMs && server.toMs >= fromMs);
    return new Set(met.map(({ clockOffsetMs }) => clockOffsetMs)).size > 1;
  }
}

const CLOCK_SLACK_MS = 50;
