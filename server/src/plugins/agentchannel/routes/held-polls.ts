/** Requests for work: of one agent, or of all slots of one process. */
import type { AgentOrder } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from '../../../http/when-closed.ts';
import type { AgentChannel } from '../agentchannel.ts';
import { noteToken } from '../agents/agent-tokens.ts';
import { nothingNow } from '../existing/patience.ts';
import type { Agent, Handout, Poll } from '../jobs/agent.ts';
import { LIMITS } from '../jobs/limits.ts';
import { checkReach } from './agent-access.ts';

/** Checks that a request may act as the agent. */
export function admitRequest(channel: AgentChannel, request: FastifyRequest, agent: Agent): void {
  // A registration decides what its agent may do. So the right to register an agent is the right to act as it.
  checkReach(request.access, 'create', agent);
  noteToken(channel.context, agent, request);
}

/** True for an order with a long script. One agent may ask for it on hundreds of connections. */
export const isLong = (order: AgentOrder): boolean =>
  order.kind === 'run' && order.content.length > LIMITS.scriptLengthAtOnce;

export interface AskingAgent extends Poll {
  readonly agent: Agent;
}

/** The next order of each agent. The first answer to one agent ends the wait of the others. */
export async function heldPolls(
  channel: AgentChannel,
  asking: readonly AskingAgent[],
  { raw, request }: FastifyReply,
): Promise<readonly (Handout | null)[]> {
  const over = new AbortController();
  let isBroken = false;
  let handouts: readonly (Handout | null)[] = [];
  const noteBroken = (given: typeof handouts, isUnsent: boolean) => {
    for (const [index, { agent }] of asking.entries())
      channel.disconnected(agent, given[index] ?? null, isUnsent);
  };
  whenClosed(raw, () => {
    if (raw.writableFinished) return;
    isBroken = true;
    over.abort();
    noteBroken(handouts, false);
  });
  const holdMs = waitOf(request.headers.prefer);
  const polls = asking.map(async ({ agent, last, running }) => {
    try {
      const asked = { last, running, holdMs, signal: over.signal };
      return await channel.poll(agent, asked).catch(nothingNow(agent));
    } finally {
      over.abort();
    }
  });
  const given = await allGiven(polls);
  const isAnyGiven = given.some((handout) => handout !== null);
  // If the token has ended, the connection closes, and the orders are taken back.
  if (isAnyGiven && !(await isGranted(request.grant.check()))) isBroken = true;
  if (isBroken) noteBroken(given, true);
  else handouts = given;
  return given;
}

const isGranted = (check: Promise<void>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  );

/** Rejects only without an order for any agent. */
async function allGiven(
  polls: readonly Promise<Handout | null>[],
): Promise<readonly (Handout | null)[]> {
  const ends = await Promise.allSettled(polls);
  const given = ends.map((end) => (end.status === 'fulfilled' ? end.value : null));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined && given.every((handout) => handout === null)) throw failed.reason;
  return given;
}

/** Milliseconds of `Prefer: wait=N` (RFC 7240); 0 when there is none. */
function waitOf(prefer: string | string[] | undefined): number {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})/i.exec(String(prefer ?? ''));
  return Number(match?.[1] ?? 0) * 1000;
}
