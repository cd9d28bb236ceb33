/** Agents that wait, and the restart of the server that they wait at. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseTimestamp } from '@tutti/manifests';
import { getText, type Target } from './exchange.ts';
import { type ServerProcess, startEntry, type Usage } from './server-process.ts';

const AGENTS = new URL('./waiting-agents-entry.ts', import.meta.url);
const LOOK_MS = 250;
/** Timeout after which missing agents are lost. */
const PATIENCE_MS = 120_000;

export interface Waited {
  readonly before: Usage;
  readonly during: readonly Usage[];
  readonly stopMs: number;
  /** From the start of the new process. */
  readonly readyMs: number;
  /** From the start of the new process until the last agent is back. */
  readonly backMs: number;
}

export interface WaitedAt {
  /** Starts it on a port, 0 for any. The second start is a new process with the knowledge of the first. */
  start(port: number): Promise<ServerProcess>;
  /** Epoch milliseconds of the last return, once all `count` agents returned after `sinceMs`; else null. */
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

/** From the list of agents. A poll is held for longer than the check takes, so the last contact of an agent is its return. */
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

/** From a bare server, which forgets everything when it ends. */
export async function lastHeld(target: Target, count: number): Promise<number | null> {
  const held = JSON.parse(await getText(target, '/held'));
  return held.count === count ? held.lastAtMs : null;
}
