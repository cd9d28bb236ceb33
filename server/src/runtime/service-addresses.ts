/**
 * Services by ports and path prefixes of their own, as existing clients and agents address them (client facts 1.2). Each leads to the
 * whole interface.
 */
import { OrchestratorError } from '@tutti/manifests';
import { SERVICE_PORTS, type ServiceName } from '@tutti/manifests/service-ports';

export { SERVICE_PORTS, type ServiceName };

export const SERVICE_NAMES: readonly ServiceName[] = [
  'receptionist',
  'observer',
  'killswitch',
  'eventbus',
  'agentchannel',
  'qualitygate',
  'localstore',
  'insightcollector',
];

export interface ConfiguredService {
  readonly name: ServiceName;
  readonly port?: number | undefined;
  /** Begins with a slash, and ends without one. */
  readonly prefix?: string | undefined;
}

export interface ServicePort {
  readonly port: number;
  /** Names of the services that share the address. */
  readonly names: readonly ServiceName[];
}

/** Ports besides the first one: those of existing services, and the one for reports. */
export function furtherPorts(config: {
  readonly servicePorts: boolean;
  readonly services: readonly ConfiguredService[];
  readonly ui: { readonly reportsPort: number };
}): readonly ServicePort[] {
  const { reportsPort } = config.ui;
  const reports = reportsPort === 0 ? [] : [{ port: reportsPort, names: [] }];
  return [...(config.servicePorts ? servicePorts(config.services) : []), ...reports];
}

/** The ports of existing services, each once, with the services that share it. */
export function servicePorts(services: readonly ConfiguredService[]): readonly ServicePort[] {
  const namesOf = new Map<number, ServiceName[]>();
  for (const name of SERVICE_NAMES) {
    const port = services.findLast((one) => one.name === name && one.port !== undefined)?.port;
    const taken = port ?? SERVICE_PORTS[name];
    namesOf.set(taken, [...(namesOf.get(taken) ?? []), name]);
  }
  return [...namesOf].map(([port, names]) => ({ port, names }));
}

/**
 * Removes the prefix of a service from the target of a request. Clients that configure the prefix with a slash send two slashes
 * before it.
 */
export function createPrefixRemover(
  services: readonly ConfiguredService[],
): (target: string) => string {
  // The longest first: one may be the begin of another.
  const prefixes = services
    .flatMap(({ prefix }) => prefix ?? [])
    .sort((one, other) => other.length - one.length);
  return (target) => {
    const path = target.replace(/^\/{2,}/, '/');
    const prefix = prefixes.find(
      (one) => path.startsWith(one) && /^[/?]|^$/.test(path.slice(one.length)),
    );
    if (prefix === undefined) return target;
    const rest = path.slice(prefix.length);
    return rest.startsWith('/') ? rest : `/${rest}`;
  };
}

/** Paths of the interface begin with one of these. */
export const FIRST_SEGMENTS: readonly string[] = (
  'agents causes changes channelhandlers channels docs health insights metrics namespaces openapi.html openapi.json providers publications ' +
  'qualitygates quarantine queue runs schemas subscriptions test-journal tests ui version workflows'
).split(' ');

/** Throws `Invalid` for a prefix under which a path of the interface would no longer be found. */
export function checkPrefixes(services: readonly ConfiguredService[], route: string): void {
  const begin = firstSegment(route);
  for (const { name, prefix } of services) {
    if (prefix === undefined || firstSegment(prefix) !== begin) continue;
    throw new OrchestratorError(
      'Invalid',
      `Not a valid configuration: services: the prefix ${prefix} of ${name} begins as paths of the interface do (/${begin}).`,
    );
  }
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
