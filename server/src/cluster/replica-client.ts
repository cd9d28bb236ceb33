/** Requests to other replicas. */
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { https } from '../runtime/node-http.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { parseReplicaAddress } from './replica-address.ts';
import { type Message, PURPOSE_HEADER } from './replica-listener.ts';
import { connectingTls } from './replica-tls.ts';

export interface ReplicaRequest {
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Called once before anything of the request is sent. */
  readonly connected?: () => void;
}

export class ReplicaClient {
  readonly #tls: ReturnType<typeof connectingTls>;
  readonly #agent = new https.Agent({
    keepAlive: true,
    maxFreeSockets: CLUSTER_LIMITS.idleConnections,
    maxCachedSessions: 0,
  });

  constructor(secret: Uint8Array) {
    this.#tls = connectingTls(secret);
  }

  request({ address, connected, ...request }: ReplicaRequest): ClientRequest {
    const out = https.request({
      ...parseReplicaAddress(address),
      ...this.#tls,
      ...request,
      agent: this.#agent,
    });
    const late = setTimeout(() => out.destroy(new Error('No connection in time.')), CONNECT_MS);
    out.on('close', () => clearTimeout(late));
    out.on('socket', (socket) => {
      const begin = () => {
        clearTimeout(late);
        connected?.();
      };
      // The agent makes no others.
      if ((socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting === true)
        socket.once('secureConnect', begin);
      else begin();
    });
    return out;
  }

  /** Resolves with whether the replica has answered. */
  send(address: string, message: Message, withinMs: number = CONNECT_MS): Promise<boolean> {
    return new Promise((resolve) => {
      const headers = { [PURPOSE_HEADER]: message, 'Content-Length': 0 };
      const out = this.request({ address, method: 'POST', path: '/', headers });
      const late = setTimeout(() => out.destroy(), withinMs);
      out.on('response', (response) => {
        response.resume();
        resolve(true);
      });
      out.on('error', () => undefined);
      out.on('close', () => {
        clearTimeout(late);
        resolve(false);
      });
      out.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const CONNECT_MS = CLUSTER_LIMITS.connectMs;
