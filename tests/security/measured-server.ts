/** A server whose longest turn of the event loop can be asked for. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerChild, ServerOptions, Workbench } from '../support/workbench.ts';

/** A module that is loaded before a server and measures its turns. */
export const METER = new URL('./turn-meter.js', import.meta.url).href;

/** Limit for a turn of the event loop, in milliseconds of processor time of a quiet machine. */
export const TURN_MS_MAX = 50;
/**
 * A slow request is sent twice more, and counts as slow only if one of these is slow, too. Its own costs return each
 * time. A single request may also meet code that is not compiled yet, or a collection of others' garbage. Both only add.
 */
const FURTHER_TRIES = 2;

export interface MeasuredServer extends ServerChild {
  /** The longest turn since the last time, in milliseconds of processor time of the main thread on a quiet machine. */
  longestTurn(): Promise<number>;
  /** Why requests like this one are too much for a turn of the event loop; null where they are not. `send` may answer what else is wrong. */
  longTurn(send: () => Promise<string | null>): Promise<string | null>;
}

export async function measuredServer(
  bench: Workbench,
  { nodeOptions = [], environment = {}, ...options }: ServerOptions = {},
): Promise<MeasuredServer> {
  const socket = bench.path('turns');
  const server = await bench.server({
    ...options,
    nodeOptions: ['--import', METER, ...nodeOptions],
    environment: { ...environment, TUTTI_TURN_METER: socket },
  });
  const longestTurn = async () => Number(await text(connect(socket)));
  const longTurn = async (send: () => Promise<string | null>) => {
    const turns: number[] = [];
    for (let tries = 0; tries <= FURTHER_TRIES; tries += 1) {
      await longestTurn();
      const problem = await send();
      if (problem !== null) return problem;
      turns.push(await longestTurn());
      const long = turns.filter((ms) => ms > TURN_MS_MAX);
      if (long.length === 0) return null;
      if (long.length > 1) return `turns of ${turns.join(', ')} ms`;
    }
    return null;
  };
  return { ...server, longestTurn, longTurn };
}
