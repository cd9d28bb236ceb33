/**
 * Serves a report folder to the browser of this machine. Pages of reports need a server: browsers load neither workers nor other files from
 * `file:` addresses. The address has a random word, so that only who was told it can read the report. Pages may load nothing from elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFolder, type ReportFolder } from '@tutti/server/report-folder';

export interface ServedFolder {
  /** Address of the page that lists all files, with a slash at its end. */
  readonly address: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function serveFolder(folder: ReportFolder, title: string): Promise<ServedFolder> {
  const prefix = `/${randomBytes(16).toString('hex')}/`;
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const { headers, url = '' } = request;
    const host = `${HOST}:${port}`;
    // Another name that leads here is that of a page of somebody else.
    if (headers.host !== host) return void response.writeHead(403).end();
    if (!url.startsWith(prefix)) return void response.writeHead(404).end();
    const served = { folder, title, base: `http://${host}${prefix}`, frames: "'self'" };
    answerFolder(served, url.slice(prefix.length), request, response).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  // The server listens, so this is its address.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${HOST}:${port}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
