/** The configuration of a server, for an engine that this machine alone reaches. */
import type { ServerConfig } from '@tutti/server';
import type { Io } from '../terminal/io.ts';

export async function engineConfig(dataDir: string, env: Io['env']): Promise<ServerConfig> {
  const { loadConfig } = await import('@tutti/server');
  const options = { dataDir, host: '127.0.0.1', port: 0, servicePorts: false } as const;
  const isSet = env.TUTTI_LOG_LEVEL !== undefined;
  return loadConfig({
    file: env.TUTTI_CONFIG || undefined,
    env,
    options: isSet ? options : { ...options, logLevel: 'error' },
  });
}
