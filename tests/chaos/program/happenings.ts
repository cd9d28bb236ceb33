/** The record of all that happened: when, and how often. Violations are judged by it, and the summary is made of it. */

import type { Pause } from './pauses.ts';

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The faults that one process of an agent met. */
export interface AgentRecord {
  /** `aPLACE.NUMBER`, of this process alone. */
  readonly name: string;
  /** The names of its registrations: its own, or one for each of its slots. */
  readonly registeredAs: readonly string[];
  readonly workspaceDir: string;
  /** As others have written it: it promises less. */
  readonly isExisting: boolean;
  readonly outages: Outage[];
  /** When connections of its place were cut. */
  readonly cutsAtMs: readonly number[];
  killedAtMs: number | null;
  /** It was told to stop, and did. */
  hasStopped: boolean;
}

/** One process of the server. */
export interface ServerRecord {
  readonly fromMs: number;
  /** Deviations of its clock from the true time; it may have seen a change late, or not before its end. */
  readonly clocks: ClockRecord[];
  toMs: number;
}

export interface ClockRecord {
  readonly fromMs: number;
  readonly offsetMs: number;
}

export class Happenings {
  readonly startedMs = Date.now();
  readonly agents = new Map<string, AgentRecord>();
  /** Processes by the ids of their registrations. */
  readonly agentsById = new Map<string, AgentRecord>();
  readonly servers: ServerRecord[] = [];
  /** When a server stood still. */
  readonly serverPauses: Outage[] = [];
  /** When another replica became active, by the commit times of the database. A busy machine replaces replicas without a fault, too. */
  readonly newOwnersAtMs: number[] = [];
  /** When the disk of the server had no room. */
  readonly fullDisks: Outage[] = [];
  /** When waiting for it failed. */
  readonly failingDisks: Outage[] = [];
  readonly violations: string[] = [];
  /** Times in which no replica wrote. */
  readonly pauses: Pause[] = [];
  readonly #counts = new Map<string, number>();
  readonly #lines: string[] = [];

  /** The process that registered with this name. */
  agentRegisteredAs(name: string): AgentRecord | null {
    for (const record of this.agents.values()) {
      if (record.registeredAs.includes(name)) return record;
    }
    return null;
  }

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

  /** The true times that an event can be of, by what the clock of the only server said then. Mostly one: servers follow each other. */
  trueTimes(timestamp: string): readonly number[] {
    const shown = Date.parse(`${timestamp}Z`);
    return this.servers.flatMap(({ clocks, toMs }) =>
      clocks.flatMap(({ fromMs, offsetMs }) => {
        const trueMs = shown - offsetMs;
        return trueMs >= fromMs - CLOCK_SLACK_MS && trueMs <= toMs + CLOCK_SLACK_MS ? [trueMs] : [];
      }),
    );
  }

  /** Whether the disk was full, or failed, at some moment of this time. */
  hadDiskTrouble(fromMs: number, toMs: number): boolean {
    return isAmong([...this.fullDisks, ...this.failingDisks], fromMs, toMs);
  }

  /** Whether the clock of the server was set within this time. */
  hasClockJumped(fromMs: number, toMs: number): boolean {
    const clocks = this.#serversOf(fromMs, toMs).flatMap((server) => server.clocks);
    const offsets = clocks.filter((clock) => clock.fromMs <= toMs).map(({ offsetMs }) => offsetMs);
    return new Set(offsets).size > 1;
  }

  /** Whether a server began or ended within this time, or none was there. */
  wasServerAway(fromMs: number, toMs: number): boolean {
    const servers = this.#serversOf(fromMs, toMs);
    const isChange = (server: ServerRecord) => server.fromMs > fromMs || server.toMs < toMs;
    return servers.length === 0 || servers.some(isChange);
  }

  /** Whether the server could not do all the time what it should have. */
  hadServerTrouble(fromMs: number, toMs: number): boolean {
    return (
      this.wasServerAway(fromMs, toMs) ||
      this.hadDiskTrouble(fromMs, toMs) ||
      isAmong(this.serverPauses, fromMs, toMs) ||
      this.newOwnersAtMs.some((atMs) => atMs >= fromMs && atMs <= toMs)
    );
  }

  #serversOf(fromMs: number, toMs: number): readonly ServerRecord[] {
    return this.servers.filter((server) => server.fromMs <= toMs && server.toMs >= fromMs);
  }
}

/** Whether one of them was at some moment of this time. */
export const isAmong = (outages: readonly Outage[], fromMs: number, toMs: number): boolean =>
  outages.some((outage) => outage.fromMs <= toMs && outage.toMs >= fromMs);

const CLOCK_SLACK_MS = 50;
