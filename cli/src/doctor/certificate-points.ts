/** The certificate of a server: its validity, and the permissions of its key. */
import { connect, type PeerCertificate } from 'node:tls';
import { type Connection, readTls } from '../connection/connection.ts';
import { endpointOf } from '../connection/is-refused.ts';
import { rightsPoint } from './rights-point.ts';
import { attention, ok, type Point, wrong } from './section.ts';

const DAY_MS = 86_400_000;
/** Time to get another one. */
const NOTICE_MS = 14 * DAY_MS;
const CONNECT_MS_MAX = 5_000;

/** Empty for HTTP, and for servers without a certificate. */
export async function certificatePoints(
  connection: Connection,
  nowMs: number,
): Promise<readonly Point[]> {
  if (!connection.url.startsWith('https:')) return [];
  const certificate = await certificateOf(connection);
  const keyFile = connection.tls.serverKeyFile ?? null;
  return [
    ...(certificate === null ? [] : [expiryPoint(Date.parse(certificate.valid_to), nowMs)]),
    ...(keyFile === null ? [] : rightsPoint(keyFile, 'the key of the server')),
  ];
}

function expiryPoint(validToMs: number, nowMs: number): Point {
  const until = new Date(validToMs).toISOString().slice(0, 10);
  const next = 'renew it; the server takes the new files with the next connection.';
  if (validToMs < nowMs) return wrong(`the certificate of the server expired on ${until}`, next);
  const what = `the certificate of the server is valid until ${until}`;
  return validToMs - nowMs < NOTICE_MS ? attention(what, next) : ok(what);
}

function certificateOf({ url, tls }: Connection): Promise<PeerCertificate | null> {
  return new Promise((resolve) => {
    const { host, port } = endpointOf(url);
    // The connection only reads the certificate and sends nothing, so any server is accepted.
    const options = { ...readTls(tls), host, port, timeout: CONNECT_MS_MAX };
    const socket = connect({ ...options, rejectUnauthorized: false });
    const end = (certificate: PeerCertificate | null) => {
      socket.destroy();
      resolve(certificate);
    };
    socket.once('secureConnect', () => {
      const found = socket.getPeerCertificate();
      end('valid_to' in found ? found : null);
    });
    socket.once('timeout', () => end(null));
    socket.once('error', () => end(null));
  });
}
