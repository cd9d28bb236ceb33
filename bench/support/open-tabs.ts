/** Many tabs, as their server sees them: streams of changes, and lists and events that are asked for. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServerSentEventParser } from '../../packages/client/src/server-sent-events.ts';
import { drain, openGet, type Target } from './exchange.ts';

/** As the page: at most once a second, whatever changes. */
const PAUSE_MS = 1_000;
const LIST = '/runs?page=1&per_page=200&sort=-started';
const STREAM = { accept: 'text/event-stream' };

export interface OpenTabs {
  /** Lists that were asked for so far. */
  lists(): number;
  close(): void;
}

/** So many tabs on the list of runs, and as many on a run that goes on. */
export async function openTabs(target: Target, each: number, runId: string): Promise<OpenTabs> {
  const streams: IncomingMessage[] = [];
  const state = { lists: 0, isOver: false };
  const open = async (path: string) => {
    const stream = await openGet(target, path, STREAM);
    streams.push(stream);
    return stream;
  };
  for (let count = 0; count < each; count += 1) {
    void followList(target, await open('/changes?topics=runs,queue,environments'), state);
    (await open('/changes?topics=runs,queue,environments')).resume();
    (await open(`/workflows/${runId}/status`)).resume();
  }
  return {
    lists: () => state.lists,
    close: () => {
      state.isOver = true;
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Asks for the list after each change of it. */
async function followList(
  target: Target,
  stream: IncomingMessage,
  state: { lists: number; readonly isOver: boolean },
): Promise<void> {
  const parser = createServerSentEventParser();
  let isChanged = true;
  stream.setEncoding('utf8').on('data', (piece: string) => {
    for (const { data } of parser.push(piece)) isChanged ||= 'runs' in JSON.parse(data);
  });
  while (!state.isOver) {
    if (isChanged) {
      isChanged = false;
      state.lists += 1;
      await drain(await openGet(target, LIST));
    }
    await sleep(PAUSE_MS);
  }
}
