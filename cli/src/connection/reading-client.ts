/** A client of a data directory that only reads it, over HTTP. */
import { type Client, createClient } from '@tutti/client';
import type { Io } from '../terminal/io.ts';
import { engineConfig } from './engine-config.ts';
import { createLightFetch } from './light-fetch.ts';

/** A day of looking at runs. */
const TOKEN_MS = 24 * 60 * 60_000;

/** Answers from the directory until `close`. Its token allows nothing else than reading. */
export async function openReadingClient(
  dataDir: string,
  env: Io['env'],
): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const { createToken, ensureSigningKey, startReader, systemClock } = await import('@tutti/server');
  const reader = await startReader(await engineConfig(dataDir, env));
  reader.stay();
  const key = await ensureSigningKey(dataDir);
  const scope = { subject: 'reader', verbs: ['get', 'list'] as const, expiresInMs: TOKEN_MS };
  const token = await createToken({ ...scope, key, clock: systemClock });
  const client = createClient({ baseUrl: reader.url, token, fetch: createLightFetch() });
  return { client, close: () => reader.stop() };
}
