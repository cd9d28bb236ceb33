/**
 * Events of a run as they come, as server-sent events: what `GET /workflows/{workflow_id}/status` gives to those who accept
 * `text/event-stream`. The events are read from the store after each commit, so a reader sees what is durable, in order and
 * without a gap, and a slow reader costs no memory.
 */
import type { WorkflowId } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventBus } from '../../bus/bus.ts';
import type { EventPage, Store } from '../../store/store.ts';
import { EVENTS_SLICE } from './event-pages.ts';

/** Tells who watches a run that it has new events. */
export class EventFeed {
  readonly #watchers = new Map<string, Set<() => void>>();

  constructor(bus: EventBus) {
    bus.subscribeAll((event) => {
      for (const wake of this.#watchers.get(event.metadata.workflow_id) ?? []) wake();
    });
  }

  watch(workflowId: WorkflowId, wake: () => void): () => void {
    const watchers = this.#watchers.get(workflowId) ?? new Set();
    this.#watchers.set(workflowId, watchers.add(wake));
    return () => {
      watchers.delete(wake);
      if (watchers.size === 0) this.#watchers.delete(workflowId);
    };
  }

  isClosed = false;

  /** Ends all streams, for the end of the server; readers come back to the next one. */
  close(): void {
    this.isClosed = true;
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake();
  }
}

export function wantsEventStream(request: FastifyRequest): boolean {
  // An answer to HEAD has no body, so there is nothing to stay for.
  return request.method === 'GET' && /^\s*text\/event-stream\b/i.test(request.headers.accept ?? '');
}

/** Proxies drop connections on which nothing comes for a minute. */
const PULSE_MS = 20_000;

export async function streamEvents(
  deps: { readonly store: Store; readonly feed: EventFeed },
  workflowId: WorkflowId,
  selectors: { readonly isEmpty: boolean; readonly matches: (event: object) => boolean },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // Node sends them with the first bytes of the body, and nothing may happen for long.
  raw.flushHeaders();
  const signal = new Signal();
  raw.once('close', () => signal.end());
  const unwatch = deps.feed.watch(workflowId, () => signal.raise());
  const pulse = setInterval(() => raw.write(': alive\n\n'), PULSE_MS);
  const isWanted = (json: string) => selectors.isEmpty || selectors.matches(JSON.parse(json));
  try {
    const first = lastSeen(request) + 1;
    await send(deps, workflowId, first, isWanted, raw, signal);
  } catch (error) {
    request.log.error({ err: error }, 'An event stream broke off.');
  } finally {
    clearInterval(pulse);
    unwatch();
    raw.end();
  }
  return reply;
}

function lastSeen(request: FastifyRequest): number {
  const id = Number(request.headers['last-event-id'] ?? 0);
  return Number.isInteger(id) && id > 0 ? id : 0;
}

async function send(
  { store, feed }: { readonly store: Store; readonly feed: EventFeed },
  workflowId: WorkflowId,
  firstSeq: number,
  isWanted: (json: string) => boolean,
  raw: FastifyReply['raw'],
  signal: Signal,
): Promise<void> {
  for (let seq = firstSeq; !signal.isOver && !feed.isClosed; ) {
    const page = await store.events(workflowId, seq, EVENTS_SLICE);
    if (page === null) return;
    const text = page.items
      .map((json, index) => (isWanted(json) ? message(seq + index, json) : ''))
      .join('');
    if (text !== '' && !raw.write(text)) await drained(raw);
    seq += page.items.length;
    if (seq <= page.total) continue;
    if (isOver(page)) {
      raw.write(`event: end\ndata: ${JSON.stringify({ status: page.workflow.status })}\n\n`);
      return;
    }
    await signal.raised();
  }
}

/** The JSON of an event has no line break, so it is one `data` line. */
const message = (seq: number, json: string): string =>
  `id: ${seq}\nevent: event\ndata: ${json}\n\n`;

/** Nothing more comes: the run ended, and nobody works on it. */
function isOver({ workflow }: EventPage): boolean {
  return !workflow.live;
}

function drained(raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.once('drain', done);
    raw.once('close', done);
  });
}

/** A flag that one waiter waits for; raising it while nobody waits is remembered. */
class Signal {
  isOver = false;
  #isRaised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  end(): void {
    this.isOver = true;
    this.raise();
  }

  async raised(): Promise<void> {
    if (!this.#isRaised) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = null;
    this.#isRaised = false;
  }
}
