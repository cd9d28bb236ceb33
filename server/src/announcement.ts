/** The file by which commands on the same machine find a server. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ServerConfig } from './runtime/config.ts';
import { SERVER_FILE } from './runtime/data-directory.ts';

interface Announced {
  readonly config: Pick<ServerConfig, 'dataDir' | 'tls'>;
  readonly isLocal: boolean;
}

/** The file that commands of this machine find the server by, and trust its certificate by. */
export function announcementOf(url: string, { config, isLocal }: Announced) {
  const file = join(config.dataDir, SERVER_FILE);
  const { cert, key } = config.tls;
  const trusted =
    cert === undefined || key === undefined || isLocal
      ? {}
      : { certificate: resolve(cert), key: resolve(key) };
  const announced = { url, pid: process.pid, ...(isLocal && { local: true }), ...trusted };
  const announce = () => writeFile(file, `${JSON.stringify(announced)}\n`, { mode: 0o600 });
  return { file, announce };
}
