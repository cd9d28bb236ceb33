/** Whether nobody listens at an address of this machine. */
import { connect } from 'node:net';
import { codeOf } from '../file-problem.ts';

/** False where somebody takes the connection, or where it fails in any other way, which says nothing. */
export function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const end = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => end(false));
    socket.once('error', (error) => end(codeOf(error) === 'ECONNREFUSED'));
  });
}
