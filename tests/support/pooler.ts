/** PgBouncer between a server and a PostgreSQL server. It refuses root, so it then runs as another user. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { asUser, POSTGRES_USER, type PostgresServer, queryAt } from './postgres-server.ts';

export interface Pooler {
  /** The address of the same database through it. */
  urlOf(direct: string): string;
  stop(): Promise<void>;
}

export async function startPooler(
  program: string,
  server: PostgresServer,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  const port = await freePort();
  const users = join(server.folder, 'pooler-users.txt');
  writeFileSync(users, `"${POSTGRES_USER}" ""\n`);
  const settings = join(server.folder, `pooler-${port}.ini`);
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port}`,
    '[pgbouncer]',
    `pool_mode = ${mode}`,
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  const child = spawn(program, [settings], { ...asUser(), cwd: server.folder, stdio: 'ignore' });
  const urlOf = (direct: string) => direct.replace(/:\d+\//, `:${port}/`);
  const isOpen = () =>
    queryAt(urlOf(server.urlOf('postgres')), 'SELECT 1').then(
      () => true,
      () => false,
    );
  await eventually('the pooler', isOpen);
  return {
    urlOf,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
