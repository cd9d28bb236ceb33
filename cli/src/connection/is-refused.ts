/** Whether nobody listens at an address of this machine. */
import { connect } from 'node:net';
import { codeOf } from '../terminal/file-problem.ts';

/** Where the machine is slow, or drops what is sent to it. */
const CONNECT_MS_MAX = 2_000;

/** False where somebody takes the connection, or where it fails in any other way, which says nothing. */
export function isRefused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...endpointOf(url), timeout: CONNECT_MS_MAX });
    const end = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('error', (error) => end(codeOf(error) === 'ECONNREFUSED'));
  });
}

/** As sockets take it: addresses leave the usual ports out, and have brackets around the colons of IPv6. */
export function endpointOf(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? usual : Number(port),
  };
}
