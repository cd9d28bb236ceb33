/** Tests whether an address of this machine refuses connections. */
import { connect } from 'node:net';
import { codeOf } from '../terminal/file-problem.ts';

/** The machine may be slow, or drop packets. */
const CONNECT_MS_MAX = 2_000;

/** False if the connection succeeds, or fails in another way, which proves nothing. */
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

/** The form for sockets: URLs omit default ports, and have brackets around IPv6 addresses. */
export function endpointOf(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? usual : Number(port),
  };
}
