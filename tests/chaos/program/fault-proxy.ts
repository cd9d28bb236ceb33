/** Stands between a client and the server, mostly an agent, and does to their connections what networks do. */
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  connect as open,
  type Server,
  type Socket,
} from 'node:net';
import { createPostRecorder } from './post-recorder.ts';

/** Posts that are kept, to be sent again. */
const KEPT_POSTS = 80;
/** Timeout for the answer to a repeated post, in milliseconds. */
const REPLAY_MS = 15_000;
/** Between two attempts to listen again. */
const RETRY_MS = 100;

const ACCEPTED = /^HTTP\/1\.1 20[01] /;
const HEAD_BYTES = 'HTTP/1.1 200 '.length;

export interface ProxyCounts {
  connections: number;
  cutConnections: number;
  cutAnswers: number;
  replayedPosts: number;
  /** Answers to repeated posts, counted by their code; `none` counts posts without an answer. */
  readonly replayAnswers: Map<string, number>;
}

export const createProxyCounts = (): ProxyCounts => ({
  connections: 0,
  cutConnections: 0,
  cutAnswers: 0,
  replayedPosts: 0,
  replayAnswers: new Map(),
});

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** The last request was a post, and its answer has not come. */
  hasPosted: boolean;
}

export class FaultProxy {
  readonly url: string;
  readonly #listener: Server;
  /** Port of the server. */
  readonly #port: number;
  readonly #own: number;
  readonly #counts: ProxyCounts;
  /** When connections were cut. */
  readonly cutsAtMs: number[] = [];
  readonly #confirmed: (() => void) | null;
  readonly #pairs = new Set<Pair>();
  readonly #posts: Buffer[] = [];
  #isClosed = false;
  #isStalled = false;
  #answersToCut = 0;
  #bytesBeforeCut = 0;
  #postsToDouble = 0;

  private constructor(
    listener: Server,
    port: number,
    counts: ProxyCounts,
    confirmed: (() => void) | null,
  ) {
    this.#confirmed = confirmed;
    this.#listener = listener;
    this.#port = port;
    this.#counts = counts;
    this.#own = (listener.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#own}`;
    listener.on('connection', (client) => this.#join(client));
  }

  /**
   * `port` is that of the server. `confirmed` is called when a post of the agent was answered with 200 or 201. Without it, nothing is
   * looked for in the bytes.
   */
  static async open(
    port: number,
    counts: ProxyCounts,
    confirmed: (() => void) | null,
  ): Promise<FaultProxy> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new FaultProxy(listener, port, counts, confirmed);
  }

  /** Its own. */
  get port(): number {
    return this.#own;
  }

  /** Nobody listens any more, and connections that stood are cut. */
  refuse(): void {
    this.#listener.close();
    this.cut();
  }

  /** After `refuse`. */
  accept(): void {
    if (this.#listener.listening || this.#isClosed) return;
    // Some other connection may have been given the port meanwhile.
    this.#listener.once('error', () => setTimeout(() => this.accept(), RETRY_MS));
    this.#listener.listen(this.#own, '127.0.0.1', () => this.#listener.removeAllListeners('error'));
  }

  /** While true, no byte goes in either direction. */
  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled;
    for (const { client, upstream } of this.#pairs) {
      for (const socket of [client, upstream]) isStalled ? socket.pause() : socket.resume();
    }
  }

  cut(): void {
    for (const pair of this.#pairs) this.#cutPair(pair);
  }

  cutAnswers(count: number, bytes: number): void {
    this.#answersToCut = count;
    this.#bytesBeforeCut = bytes;
  }

  doublePosts(count: number): void {
    this.#postsToDouble = count;
  }

  /** Sends posts of the past again; `back` is how far, from the newest one. */
  latePosts(count: number, back: number): void {
    const first = Math.max(0, this.#posts.length - back);
    for (const post of this.#posts.slice(first, first + count)) this.#replay(post);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const isListening = this.#listener.listening;
    this.refuse();
    if (isListening) await once(this.#listener, 'close');
  }

  #join(client: Socket): void {
    this.#counts.connections += 1;
    client.on('error', () => undefined);
    const upstream = open(this.#port, '127.0.0.1');
    const pair: Pair = { client, upstream, hasPosted: false };
    this.#pairs.add(pair);
    const recorder = createPostRecorder((post) => {
      pair.hasPosted = true;
      this.#keep(post);
    });
    client.on('data', (chunk: Buffer) => {
      if (this.#confirmed !== null) recorder.take(chunk);
      this.#pass(chunk, client, upstream);
    });
    upstream.on('data', (chunk: Buffer) => this.#answer(chunk, pair));
    upstream.on('error', () => undefined);
    // Bytes that were sent before the end still arrive.
    upstream.on('close', () => client.destroySoon());
    client.on('close', () => this.#drop(pair));
    if (this.#isStalled) this.isStalled = true;
  }

  #pass(chunk: Buffer, from: Socket, to: Socket): void {
    if (to.destroyed) return;
    if (to.write(chunk)) return;
    from.pause();
    to.once('drain', () => this.#isStalled || from.resume());
  }

  #answer(chunk: Buffer, pair: Pair): void {
    if (pair.hasPosted && ACCEPTED.test(chunk.subarray(0, HEAD_BYTES).toString('latin1'))) {
      this.#confirmed?.();
    }
    pair.hasPosted = false;
    if (this.#answersToCut === 0) {
      this.#pass(chunk, pair.upstream, pair.client);
      return;
    }
    this.#answersToCut -= 1;
    this.#counts.cutAnswers += 1;
    const { client } = pair;
    if (this.#bytesBeforeCut === 0) this.#cutPair(pair);
    else client.write(chunk.subarray(0, this.#bytesBeforeCut), () => this.#cutPair(pair));
  }

  #cutPair(pair: Pair): void {
    if (!this.#pairs.has(pair)) return;
    this.#counts.cutConnections += 1;
    this.cutsAtMs.push(Date.now());
    pair.client.resetAndDestroy();
    this.#drop(pair);
  }

  #drop(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  }

  #keep(post: Buffer): void {
    this.#posts.push(post);
    if (this.#posts.length > KEPT_POSTS) this.#posts.shift();
    if (this.#postsToDouble === 0) return;
    this.#postsToDouble -= 1;
    this.#replay(post);
  }

  /** By a connection of its own; what is answered is counted and dropped. */
  #replay(post: Buffer): void {
    this.#counts.replayedPosts += 1;
    const socket = open(this.#port, '127.0.0.1');
    let answer = '';
    socket.setTimeout(REPLAY_MS, () => socket.destroy());
    socket.on('connect', () => socket.write(post));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      socket.destroy();
    });
    socket.on('close', () => {
      const [, code = 'none'] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      const { replayAnswers } = this.#counts;
      replayAnswers.set(code, (replayAnswers.get(code) ?? 0) + 1);
    });
  }
}
