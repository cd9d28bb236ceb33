/** Requests with bodies under the test's control. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface SlowRequest {
  readonly socket: Socket;
  /** The answer so far. */
  readonly answer: string;
  readonly isClosed: boolean;
  /** Sends a piece; resolves when the system took it, or when the connection ended. */
  send(piece: string | Uint8Array): Promise<void>;
}

export interface SlowHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Sends the head of a request. */
export async function openSlowRequest(url: string, head: SlowHead): Promise<SlowRequest> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const state = { answer: '', isClosed: false };
  socket
    .setEncoding('latin1')
    .on('data', (text: string) => {
      state.answer += text;
    })
    .on('error', () => undefined)
    .on('close', () => {
      state.isClosed = true;
    });
  await once(socket, 'connect');
  const lines = Object.entries({ host: 'a', ...head.headers }).map(([k, v]) => `${k}: ${v}\r\n`);
  socket.write(`${head.method} ${head.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return {
    socket,
    get answer() {
      return state.answer;
    },
    get isClosed() {
      return state.isClosed;
    },
    async send(piece) {
      if (state.isClosed || socket.write(piece)) return;
      await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve));
    },
  };
}
