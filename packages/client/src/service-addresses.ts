/** The addresses of the services of an orchestrator, as existing clients configure them (client facts 1.2). */

import { type Entries, entriesOf, numberOf, textOf } from '@tutti/manifests/values';
import type { Fetch } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

/** By the name of the service; services without an entry are where the server is. */
export type ServiceAddresses = ReadonlyMap<string, string>;

/** The address of a server, without a slash at the end; null where it is malformed. */
export function serverAddress({ server }: Entries): string | null {
  const url = URL.parse(textOf(server) ?? '');
  return url === null || !/^https?:$/.test(url.protocol) ? null : textAddress(url);
}

/** The address of one service: the server's address with the port of the service, and its prefix after the path. */
export function serviceAddress(orchestrator: Entries, service: string): string | null {
  const url = URL.parse(serverAddress(orchestrator) ?? '');
  if (url === null) return null;
  const { port, prefix } = entriesOf(entriesOf(orchestrator.services)[service]);
  const number = numberOf(port ?? entriesOf(orchestrator.ports)[service]);
  if (number !== null) url.port = String(number);
  url.pathname = `${url.pathname}/${textOf(prefix) ?? ''}`;
  return textAddress(url);
}

const textAddress = (url: URL): string =>
  `${url.origin}${url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '')}`;

/** Addresses of services that run elsewhere than the server. */
export function serviceAddresses(orchestrator: Entries): ServiceAddresses {
  const { services, ports } = orchestrator;
  const names = [...Object.keys(entriesOf(services)), ...Object.keys(entriesOf(ports))];
  const own = serverAddress(orchestrator);
  const addresses = names.map((name) => [name, serviceAddress(orchestrator, name)] as const);
  return new Map(
    addresses.flatMap(([name, address]) =>
      address === null || address === own ? [] : [[name, address]],
    ),
  );
}

/** The service that a request is for (client facts 1.2); the path is that of the interface, without prefixes. */
export function serviceOf(method: string, path: string): string {
  const [first = '', , third = ''] = path.split('?', 1).join('').split('/').slice(1);
  if (first === 'agents') return 'agentchannel';
  if (first === 'subscriptions' || first === 'publications') return 'eventbus';
  if (first === 'qualitygates') return 'qualitygate';
  if (first === 'insights') return 'insightcollector';
  if (first !== 'workflows') return 'observer';
  if (third === 'qualitygate') return 'qualitygate';
  if (third === 'files') return 'localstore';
  if (third === 'insights') return 'insightcollector';
  if (method === 'POST') return 'receptionist';
  return method === 'DELETE' ? 'killswitch' : 'observer';
}

/** Sends each request to the address of its service. */
export function createServiceFetch(
  baseUrl: string,
  services: ServiceAddresses,
  inner: Fetch,
): Fetch {
  if (services.size === 0) return inner;
  const base = baseUrl.replace(/\/+$/, '');
  return async (url, request) => {
    const path = url.startsWith(base) ? url.slice(base.length) : null;
    const address = path === null ? undefined : services.get(serviceOf(request.method, path));
    if (address === undefined) return await inner(url, request);
    try {
      return await inner(`${address}${path}`, request);
    } catch (error) {
      request.signal?.throwIfAborted();
      // Said of the address that was tried, not of the one that all begin with.
      throw new UnreachableError(address, 'connection', 'the connection failed', error);
    }
  };
}
