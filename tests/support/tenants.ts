/** Tokens of tenants: subjects that reach one namespace each, signed with a key that the server trusts. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createApi } from './api.ts';
import { signedToken } from './tokens.ts';
import type { ServerChild, ServerOptions, Workbench } from './workbench.ts';

export interface Tenants {
  readonly server: ServerChild;
  token(subject: string, namespace: string): string;
  /** The server, as this subject sees it. */
  as(subject: string, namespace: string): ServerChild;
  /** The same server after a `SIGKILL`. */
  restart(): Promise<Tenants>;
}

/** A server with tokens of tenants. */
export async function openTenants(bench: Workbench, options: ServerOptions = {}): Promise<Tenants> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const path = bench.path('tenants.pem');
  await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
  const config = { ...options.config, auth: { trustedKeys: [{ path, namespaces: '*' }] } };
  const token = (subject: string, namespace: string) =>
    signedToken(privateKey, {
      header: { alg: 'ES256' },
      claims: { iss: 'tenants', sub: subject, tutti: { namespaces: [namespace] } },
    });
  const run = async (dataDir?: string): Promise<Tenants> => {
    const server = await bench.server({
      ...options,
      config,
      ...(dataDir === undefined ? {} : { dataDir }),
    });
    return {
      server,
      token,
      as: (subject, namespace) => {
        const own = token(subject, namespace);
        return { ...server, ...createApi(server.url, own), token: own };
      },
      restart: async () => {
        await server.child.kill('SIGKILL');
        return await run(server.dataDir);
      },
    };
  };
  return await run(options.dataDir);
}
