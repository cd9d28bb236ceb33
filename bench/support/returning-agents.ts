/** Agents that wait, and the restart of the server that they wait at. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseTimestamp } from '@tutti/manifests';
import { getText, type Target } from './exchange.ts';
import { type ServerProcess, startEntry, type Usage } from './server-process.ts';

const AGENTS = new URL('./waiting-agents-entry.ts', import.meta.url);
const LOOK_MS = 250;
/** Agents that are not back by then are lost. */
const PATIENCE_MS = 120_000;

export interface Waited {
  readonly before: Usage;
  readonly during: readonly Usage[];
  readonly stopMs: number;
  /** From the start of the new process. */
  readonly readyMs: number;
  /** From the start of the new process until the last agent is there again. */
  readonly backMs: number;
}

export interface WaitedAt {
  /** Starts it on a port, 0 for any; the second time it is another process, which knows what the first one knew. */
  start(port: number): Promise<ServerProcess>;
  /** When the last agent came, in epoch milliseconds, once all `count` of them came after `sinceMs`; else null. */
  lastComer(target: Target, count: number, sinceMs: number): Promise<number | null>;
}

export async function restartUnderAgents(
  place: WaitedAt,
  { count, windowMs, samples }: { count: number; windowMs: number; samples: number },
): Promise<Waited> {
  const first = await place.start(0);
  const agents = await startEntry(AGENTS, [first.url.href, first.token, String(count)]);
  const before = await first.usage();
  const during: Usage[] = [];
  while (during.length < samples) {
    await sleep(windowMs / samples);
    during.push(await first.usage());
  }
  const stoppedAt = nowMs();
  await first.stop();
  const beganAt = nowMs();
  const again = await place.start(Number(first.url.port));
  const readyMs = nowMs() - beganAt;
  const backMs = (await lastBack(place, again, count, beganAt)) - beganAt;
  await agents.stop();
  await again.stop();
  return { before, during, stopMs: beganAt - stoppedAt, readyMs, backMs };
}

const nowMs = (): number => performance.timeOrigin + performance.now();

async function lastBack(
  place: WaitedAt,
  server: Target,
  count: number,
  sinceMs: number,
): Promise<number> {
  for (const end = nowMs() + PATIENCE_MS; nowMs() < end; ) {
    const last = await place.lastComer(server, count, sinceMs);
    if (last !== null) return last;
    await sleep(LOOK_MS);
  }
  throw new Error('Not all agents came back.');
}

interface Registrations {
  readonly items: readonly { readonly status: { readonly lastCommunicationTimestamp: string } }[];
}

/** As the list of agents tells. A poll is held for longer than it takes to look, so the last contact of an agent is its return. */
export async function lastListed(
  target: Target,
  count: number,
  sinceMs: number,
): Promise<number | null> {
  const { items }: Registrations = JSON.parse(await getText(target, '/agents'));
  const times = items.map(({ status }) => parseTimestamp(status.lastCommunicationTimestamp) ?? 0);
  const back = times.filter((time) => time >= sinceMs);
  return back.length === count ? back.reduce((last, time) => Math.max(last, time)) : null;
}

/** As a bare server tells, which forgets all when it ends. */
export async function lastHeld(target: Target, count: number): Promise<number | null> {
  const held = JSON.parse(await getText(target, '/held'));
  return held.count === count ? held.lastAtMs : null;
}
