/** The configured target of traces. */
import { OrchestratorError } from '@tutti/manifests';
import type { ServerConfig } from '../../runtime/config.ts';
import type { OtlpSenderOptions } from './otlp-sender.ts';

const TRACES_PATH = '/v1/traces';

/** Options for the exporter of traces. Throws `Invalid` for an address that is none. */
export function collectorOptions(
  { endpoint, headers, serviceName }: ServerConfig['tracing'] & { readonly endpoint: string },
  version: string,
): OtlpSenderOptions {
  if (!URL.canParse(endpoint)) {
    throw new OrchestratorError(
      'Invalid',
      `Not a valid configuration: tracing.endpoint: "${endpoint}" is no address.`,
    );
  }
  const url = new URL(endpoint);
  // A collector is mostly named by its host and port alone.
  if (url.pathname === '/') url.pathname = TRACES_PATH;
  return {
    url: url.href,
    headers: readHeaders(headers ?? ''),
    serviceName: serviceName ?? null,
    version,
  };
}

/** `name=value`, separated by commas; what an address could not have is written as there (`%2C`). */
function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals).trim(), decoded(pair.slice(equals + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for itself.
    return text;
  }
}
