/** Does what a plan says, when it says it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentKeeper } from './agent-keeper.ts';
import type { Disk } from './disk.ts';
import type { Action, Fault, ReplicaAction } from './fault-plan.ts';
import type { Happenings } from './happenings.ts';
import type { FaultyInbox } from './inboxes.ts';
import type { Moments } from './moments.ts';
import type { KeptServer } from './stage.ts';
import type { Traffic } from './traffic.ts';

export interface StormParts {
  readonly server: KeptServer;
  readonly replicas: { act(action: ReplicaAction): Promise<void> } | null;
  readonly agents: readonly AgentKeeper[];
  readonly inboxes: readonly FaultyInbox[];
  readonly disk: Disk;
  readonly traffic: Traffic;
  readonly happenings: Happenings;
  readonly moments: Moments;
}

/** A kill that waits for a moment which does not come happens then. */
const MOMENT_WITHIN_MS = 3_000;
const TICK_MS = 10;
const SLOWNESS = 0.2;

export class FaultStorm {
  readonly #parts: StormParts;
  readonly #acting = new Set<Promise<void>>();
  /** Number of current faults that hold a thing, by thing. It is let go when the last of them ends. */
  readonly #holds = new Map<string, number>();

  constructor(parts: StormParts) {
    this.#parts = parts;
  }

  /** Resolves when the last fault is over; an aborted signal skips the rest. */
  async rage(faults: readonly Fault[], signal: AbortSignal): Promise<void> {
    let stormMs = 0;
    for (const { atMs, action } of faults) {
      while (stormMs < atMs && !signal.aborted) stormMs += await this.#passTime();
      if (signal.aborted) break;
      this.#begin(action);
    }
    await Promise.all(this.#acting);
  }

  /** While a server starts, the time of a plan goes slowly: else slow machines would see nothing but starts. */
  async #passTime(): Promise<number> {
    const beforeMs = performance.now();
    await pause(TICK_MS);
    const passedMs = performance.now() - beforeMs;
    return this.#parts.server.isUp ? passedMs : passedMs * SLOWNESS;
  }

  #begin(action: Action | ReplicaAction): void {
    const { happenings } = this.#parts;
    happenings.note(JSON.stringify(action));
    happenings.count('faults');
    const acting = this.#act(action).catch((error: unknown) => {
      happenings.violation(`The program failed at ${action.kind}: ${error}`);
    });
    this.#acting.add(acting);
    void acting.then(() => this.#acting.delete(acting));
  }

  #act(action: Action | ReplicaAction): Promise<void> {
    switch (action.kind) {
      case 'kill-server':
      case 'kill-starting-server':
      case 'stop-server':
      case 'pause-server':
      case 'clock-jump':
        return this.#actOnServer(action);
      case 'kill-agent':
      case 'kill-starting-agent':
      case 'stop-agent':
      case 'pause-agent':
      case 'kill-all':
        return this.#actOnAgents(action);
      case 'refuse':
      case 'cut':
      case 'cut-answers':
      case 'stall':
      case 'double-posts':
      case 'late-posts':
        return this.#actOnNetwork(action);
      case 'slow-disk':
      case 'full-disk':
      case 'failing-disk':
        return this.#actOnDisk(action);
      case 'inbox':
        return this.#disturbInbox(action);
      case 'cancel':
        return this.#parts.traffic.cancel(action.share);
      default:
        return this.#parts.replicas?.act(action) ?? Promise.resolve();
    }
  }

  async #actOnServer(action: Action): Promise<void> {
    const { server, happenings } = this.#parts;
    if (action.kind === 'kill-server') await this.#killServer(action);
    if (action.kind === 'stop-server') await server.stop();
    if (action.kind === 'clock-jump') {
      happenings.count('jumps of the clock');
      server.setClock(action.offsetMs);
      if (action.isKilled) await server.kill();
    }
    if (action.kind === 'kill-starting-server') {
      await server.kill(0);
      for (const afterMs of action.afterMs) {
        await pause(afterMs);
        await server.kill(0);
      }
    }
    if (action.kind === 'pause-server') {
      const paused = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
      happenings.serverPauses.push(paused);
      await this.#pauseProcess(server.pid, 'pauses of the server', action.ms);
      paused.toMs = Date.now();
      if (action.isKilled) await server.kill();
    }
  }

  async #killServer({ backMs, at }: Extract<Action, { kind: 'kill-server' }>): Promise<void> {
    const { server, happenings, moments } = this.#parts;
    if (at !== 'now' && (await moments.next(at, MOMENT_WITHIN_MS))) {
      happenings.count(`kills of the server at a confirmed ${at}`);
    }
    await server.kill(backMs);
  }

  async #actOnAgents(action: Action): Promise<void> {
    const { agents, server } = this.#parts;
    if (action.kind === 'kill-all') {
      await Promise.all([
        server.kill(action.backMs),
        ...agents.map((agent) => agent.kill(action.backMs)),
      ]);
    }
    const agent = 'slot' in action && action.slot !== null ? agents[action.slot] : undefined;
    if (agent === undefined) return;
    if (action.kind === 'kill-agent') await agent.kill(action.backMs);
    if (action.kind === 'stop-agent') await agent.stop();
    if (action.kind === 'kill-starting-agent') {
      await agent.kill(0);
      await pause(action.afterMs);
      await agent.kill();
    }
    if (action.kind === 'pause-agent') {
      await this.#whileOut([agent], async () => {
        await this.#pauseProcess(agent.pid, 'pauses of agents', action.ms);
      });
    }
  }

  async #pauseProcess(pid: number | null, what: string, ms: number): Promise<void> {
    if (pid === null || !signalled(pid, 'SIGSTOP')) return;
    this.#parts.happenings.count(what);
    await this.#hold(`process ${pid}`, ms, () => signalled(pid, 'SIGCONT'));
  }

  async #actOnNetwork(action: Action): Promise<void> {
    const { agents, happenings } = this.#parts;
    const slot = 'slot' in action ? action.slot : null;
    const met = slot === null ? agents : agents.slice(slot, slot + 1);
    happenings.count(`${action.kind} of the network`, met.length);
    for (const { proxy } of met) {
      if (action.kind === 'cut') proxy.cut();
      if (action.kind === 'cut-answers') proxy.cutAnswers(action.count, action.bytes);
      if (action.kind === 'double-posts') proxy.doublePosts(action.count);
      if (action.kind === 'late-posts') proxy.latePosts(action.count, action.back);
    }
    if (action.kind === 'refuse') {
      await this.#whileOut(met, async () => {
        await Promise.all(met.map((agent) => this.#refuse(agent, action.ms)));
      });
    }
    if (action.kind === 'stall') {
      await this.#whileOut(met, async () => {
        await Promise.all(met.map((agent) => this.#stall(agent, action.ms)));
      });
    }
  }

  async #refuse(agent: AgentKeeper, ms: number): Promise<void> {
    agent.proxy.refuse();
    await this.#hold(`refusal ${agent.proxy.url}`, ms, () => agent.proxy.accept());
  }

  async #stall(agent: AgentKeeper, ms: number): Promise<void> {
    agent.proxy.isStalled = true;
    await this.#hold(`stall ${agent.proxy.url}`, ms, () => {
      agent.proxy.isStalled = false;
    });
  }

  async #actOnDisk(action: Action): Promise<void> {
    const { disk, happenings, server } = this.#parts;
    if (action.kind === 'slow-disk' && disk.slow !== null) {
      const { slow } = disk;
      happenings.count('times of a slow disk');
      slow(action.syncMs);
      await this.#hold('slow disk', action.ms, () => slow(0));
    }
    if (action.kind === 'full-disk' && disk.fill !== null) {
      happenings.count('times of a full disk');
      server.expectDiskTrouble(Date.now() + action.ms);
      const full = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
      happenings.fullDisks.push(full);
      await disk.fill(action.leftKib);
      await this.#hold('full disk', action.ms, () => disk.clear());
      full.toMs = Date.now();
    }
    if (action.kind === 'failing-disk' && disk.fail !== null) {
      happenings.count('times of a failing disk');
      server.expectDiskTrouble(Date.now() + FAILING_DISK_MS);
      const failing = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
      happenings.failingDisks.push(failing);
      disk.fail(action.syncs);
      await pause(FAILING_DISK_MS);
      disk.fail(0);
      failing.toMs = Date.now();
    }
  }

  async #disturbInbox(action: Extract<Action, { kind: 'inbox' }>): Promise<void> {
    const inbox = this.#parts.inboxes[action.inbox];
    if (inbox === undefined) return;
    this.#parts.happenings.count('disturbances of inboxes');
    inbox.mode = action.mode;
    await this.#hold(`inbox ${action.inbox}`, action.ms, () => {
      inbox.mode = 'well';
    });
  }

  /** Several faults may hold the same; the last one lets it go. */
  async #hold(what: string, ms: number, letGo: () => unknown): Promise<void> {
    this.#holds.set(what, (this.#holds.get(what) ?? 0) + 1);
    await pause(ms);
    const left = (this.#holds.get(what) ?? 1) - 1;
    this.#holds.set(what, left);
    if (left === 0) await letGo();
  }

  /** Notes for the agents that they were out of reach meanwhile. */
  async #whileOut(agents: readonly AgentKeeper[], act: () => Promise<void>): Promise<void> {
    const fromMs = Date.now();
    const records = agents.map((agent) => agent.record);
    await act();
    const outage = { fromMs, toMs: Date.now() };
    for (const record of new Set([...records, ...agents.map((agent) => agent.record)])) {
      record?.outages.push(outage);
    }
  }
}

/** For so long, the next waits for the disk fail. */
const FAILING_DISK_MS = 1_000;

/** False when there is no such process any more. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
