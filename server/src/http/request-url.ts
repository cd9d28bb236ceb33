/** The address under which a client reached us, also through a reverse proxy. */
import type { FastifyRequest } from 'fastify';

const HOST = /^(?:[a-zA-Z0-9._~-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/;
const PORT = /^\d{1,5}$/;
const ORIGIN = /^[a-z]+:\/\/[^/?]*/i;
const NAMES_PORT = /:\d+$/;
const PREFIX = /^(?:\/[a-zA-Z0-9._~%-]+)+\/?$/;

/**
 * Absolute URL of the request with its query. A proxy may set scheme, host, port and path prefix by `X-Forwarded-Proto`, `-Host`,
 * `-Port` and `-Prefix`. The URL only goes back to the client that sent these headers.
 */
export function requestUrl(request: FastifyRequest): URL {
  const scheme = forwarded(request, 'proto', /^https?$/i)?.toLowerCase() ?? request.protocol;
  const host =
    validHost(forwarded(request, 'host', HOST)) ??
    validHost(request.headers.host) ??
    connectedHost(request.socket.localAddress, request.socket.localPort);
  const prefix = forwarded(request, 'prefix', PREFIX)?.replace(/\/$/, '') ?? '';
  const [path = '/', ...query] = request.originalUrl.replace(ORIGIN, '').split('?');
  // A path with two leading slashes would be read as a host.
  const url = new URL(`${scheme}://${host}${prefix}${path.replace(/\/{2,}/g, '/')}`);
  url.search = query.join('?');
  // A host with a port is the client's own text; proxies that remove the port send it separately.
  if (!NAMES_PORT.test(host)) url.port = forwarded(request, 'port', PORT) ?? '';
  return url;
}

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/** The address of a connection: HTTP/1.0 requests need not name a host, so nothing else is known. */
export function connectedHost(address: string | undefined, port: number | undefined): string {
  const plain = address?.replace(MAPPED_IPV4, '') ?? '';
  const name = plain.includes(':') ? `[${plain}]` : plain;
  return validHost(`${name}:${port}`) ?? 'localhost';
}

/** Chained proxies append their values; the first value is the client's. */
function forwarded(
  request: FastifyRequest,
  name: 'proto' | 'host' | 'port' | 'prefix',
  pattern: RegExp,
): string | null {
  const header = request.headers[`x-forwarded-${name}`];
  const first = (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim();
  return first !== undefined && pattern.test(first) ? first : null;
}

function validHost(host: string | null | undefined): string | null {
  return host && HOST.test(host) && URL.canParse(`http://${host}`) ? host : null;
}
