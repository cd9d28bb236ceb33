/**
 * Bounds open connections by their owner. Beyond four fifths of the limit only agents are served; other requests are refused and
 * their connections closed. Beyond the limit a connection is closed without an answer. Existing agents take any answer, even a
 * refusal, for an acknowledgement, and resend only without one.
 *
 * A connection has no owner until it sends a token. One address may open a part of such connections; each is closed after half a
 * minute without data. Afterwards it belongs to the subject of the token, which has a share.
 */
import type { Server, ServerResponse } from 'node:http';
import { isIPv4, type Socket } from 'node:net';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../runtime/config.ts';
import { Counts } from '../runtime/counts.ts';
import { LIMITS } from '../runtime/limits.ts';
import type { Logger } from '../runtime/logger.ts';
import { type Holder, Shares } from '../runtime/shares.ts';
import { noteConnection } from '../runtime/turns.ts';
import { holderOf } from './holder.ts';

export type ConnectionLimits = Pick<
  ServerConfig['limits'],
  'connections' | 'subjectShare' | 'namespaceShare'
>;

/** Share of the connections for everybody. */
const SHARE_OF_ALL = 0.8;
/** Share of the connections for agents of one subject or namespace: thousands of agents share a token. */
const SHARE_OF_AGENTS = 0.5;
const AGENTS = /^\/agents(?:\/|$)/;

export function boundConnections(
  app: FastifyInstance,
  limits: ConnectionLimits,
  logger: Logger,
): void {
  const connections = new OpenConnections(limits, logger);
  connections.count(app.server);
  app.addHook('onRequest', (request, reply, done) => done(connections.admit(request, reply)));
}

export const isOfAgents = ({ routeOptions }: FastifyRequest): boolean =>
  AGENTS.test(routeOptions.url ?? '');

interface OpenConnection {
  /** Requests that came and have no answer yet. */
  unanswered: number;
  /** Null until the connection brings a token. */
  owner: Owner | null;
  readonly address: string;
}

/** A socket of Node with its parser. The parser reads to the end of a packet even when the socket is destroyed. */
interface Read {
  readonly parser?: { onIncoming: () => number } | null;
}
/** The answer of `onIncoming` after which the parser reads no further. Node has no public way to say so. */
const UPGRADE = 2;

interface Owner {
  readonly holder: Holder;
  readonly shares: Shares;
}

class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #logger: Logger;
  readonly #forAll: number;
  readonly #others: Shares;
  readonly #agents: Shares;
  readonly #connections = new WeakMap<Socket, OpenConnection>();
  /** Connections without a token, by their address. */
  readonly #anonymous = new Counts();
  #open = 0;
  #isLogged = false;

  constructor(limits: ConnectionLimits, logger: Logger) {
    const { connections, subjectShare, namespaceShare } = limits;
    this.#limits = limits;
    this.#logger = logger;
    this.#forAll = Math.max(1, Math.floor(SHARE_OF_ALL * connections));
    const things = 'open connections (limits.connections)';
    this.#others = new Shares({ total: this.#forAll, things, subjectShare, namespaceShare });
    this.#agents = new Shares({
      total: connections,
      things,
      subjectShare: Math.max(SHARE_OF_AGENTS, subjectShare),
      namespaceShare: Math.max(SHARE_OF_AGENTS, namespaceShare),
    });
  }

  count(server: Server): void {
    // Before the server itself hears of a connection.
    server.prependListener('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', ({ socket }, answer) => this.#came(socket, answer));
    // Registered later, as it sets its own timeout.
    server.on('connection', (socket: Socket) =>
      socket.setTimeout(LIMITS.anonymousIdleSeconds * 1000),
    );
  }

  /** Why the request is refused, if it is. */
  admit(request: FastifyRequest, reply: FastifyReply): OrchestratorError | undefined {
    const isAgent = isOfAgents(request);
    const refusal =
      this.#open > this.#forAll && !isAgent ? tooMany(this.#forAll) : this.#own(request, isAgent);
    if (refusal === null) return undefined;
    if (isAgent) request.raw.socket.destroy();
    reply.header('Connection', 'close');
    return refusal;
  }

  /** The connection belongs to the sender of its last request: a proxy's connection carries many senders. */
  #own(request: FastifyRequest, isAgent: boolean): OrchestratorError | null {
    const { socket } = request.raw;
    const connection = this.#connections.get(socket);
    if (connection === undefined || request.routeOptions.config.access === 'none') return null;
    const { owner } = connection;
    const shares = isAgent ? this.#agents : this.#others;
    const isSame = owner?.shares === shares && owner.holder.subject === request.access.subject;
    if (isSame) return null;
    const holder = holderOf(request);
    const refusal = shares.refusal(holder);
    if (refusal !== null) return refusal;
    this.#disown(connection);
    shares.add(holder);
    connection.owner = { holder, shares };
    if (owner === null) socket.setTimeout(LIMITS.idleConnectionSeconds * 1000);
    return null;
  }

  /** Thousands of requests may come in one packet, and all of them would begin in one turn. */
  #came(socket: Socket & Read, answer: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.unanswered += 1;
    answer.on('close', () => {
      connection.unanswered -= 1;
    });
    if (connection.unanswered <= LIMITS.unansweredRequests) return;
    if (socket.parser) socket.parser.onIncoming = () => UPGRADE;
    socket.destroy();
  }

  #opened(socket: Socket): void {
    noteConnection();
    const address = addressGroup(socket.remoteAddress ?? '');
    const connection: OpenConnection = { unanswered: 0, owner: null, address };
    this.#connections.set(socket, connection);
    this.#open += 1;
    const anonymous = this.#anonymous.add(address, 1);
    socket.once('close', () => {
      this.#disown(connection);
      this.#open -= 1;
      if (this.#open < this.#limits.connections / 2) this.#isLogged = false;
    });
    if (this.#open > this.#limits.connections) {
      this.#close(socket, { connectionsMax: this.#limits.connections });
    } else if (anonymous > this.#anonymousMax) {
      this.#close(socket, { address, connectionsMax: this.#anonymousMax });
    }
  }

  /** With few connections, one address may have more of them. */
  get #anonymousMax(): number {
    const { anonymousShare, anonymousMin } = LIMITS;
    return Math.max(anonymousMin, Math.floor(anonymousShare * this.#limits.connections));
  }

  #close(socket: Socket, about: object): void {
    socket.destroy();
    if (!this.#isLogged) this.#logger.warn(about, 'Too many connections: new ones are closed.');
    this.#isLogged = true;
  }

  #disown(connection: OpenConnection): void {
    const { owner, address } = connection;
    if (owner === null) this.#anonymous.add(address, -1);
    else owner.shares.add(owner.holder, -1);
  }
}

function tooMany(forAll: number): OrchestratorError {
  return new OrchestratorError(
    'ServiceUnavailable',
    `The server has ${forAll} open connections, which is the limit (limits.connections). Try again later.`,
  );
}

/** Addresses that one person may have: of IPv6 the network of 64 bits. */
export function addressGroup(address: string): string {
  const mapped = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (isIPv4(mapped)) return mapped;
  const [before = '', after = ''] = address.split('::');
  const groups = before.split(':').filter((group) => group !== '');
  const rest = after.split(':').filter((group) => group !== '');
  const zeros = address.includes('::') ? Math.max(0, 8 - groups.length - rest.length) : 0;
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
