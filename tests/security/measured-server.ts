/** A server whose longest turn of the event loop can be asked for. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerChild, ServerOptions, Workbench } from '../support/workbench.ts';

const METER = new URL('./turn-meter.js', import.meta.url).href;

export interface MeasuredServer extends ServerChild {
  /** The longest turn since the last time, in milliseconds of processor time of the main thread. */
  longestTurn(): Promise<number>;
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
  return { ...server, longestTurn: async () => Number(await text(connect(socket))) };
}
