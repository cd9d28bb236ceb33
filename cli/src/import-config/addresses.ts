/** Where services listened, and where clients look for them. */
import { didYouMean } from '@tutti/manifests/documents';
import { type FileChecks, SERVICE_NAMES, SERVICE_PORTS, type ServiceName } from '@tutti/server';
import type { ImportPlan, Origin } from './import-plan.ts';
import type { Setting, Settings } from './settings.ts';
import { numberOf, textOf } from './values.ts';

/** What a client is configured for. */
export interface ClientPlace extends Origin {
  readonly service: string;
  readonly port: number | null;
  /** As it is written: without its slash, mostly. */
  readonly prefix: string | null;
}

interface AddressDeps {
  readonly plan: ImportPlan;
  readonly checks: FileChecks;
}

interface Known {
  port?: number;
  prefix?: string;
}

const INNER = 'Nobody calls this service from outside, and here it has no address of its own.';

const isService = (name: string | null): name is ServiceName =>
  SERVICE_NAMES.some((each) => each === name);

export function importAddresses(
  settings: Settings,
  places: readonly ClientPlace[],
  { plan, checks }: AddressDeps,
): void {
  importHost(settings.named('host'), plan);
  const known = new Map<ServiceName, Known>();
  for (const setting of settings.named('port')) takePort(setting, known, plan);
  for (const place of places) takePlace(place, known, { plan, checks });
  const own = known.get('receptionist')?.port ?? SERVICE_PORTS.receptionist;
  if (own !== SERVICE_PORTS.receptionist) plan.set('port', own);
  if ([...known.values()].some(({ port }) => port !== undefined)) plan.set('servicePorts', true);
  const services = [...known].flatMap(([name, { port, prefix }]) => {
    const other = port === SERVICE_PORTS[name] ? undefined : port;
    const entry = { name, ...(other && { port: other }), ...(prefix && { prefix }) };
    return other === undefined && prefix === undefined ? [] : [entry];
  });
  if (services.length > 0) plan.set('services', services);
}

/** All services are one server here, which listens on one address. */
function importHost(settings: readonly Setting[], plan: ImportPlan): void {
  const outer = settings.filter(({ service }) => isService(service));
  for (const setting of settings.filter((each) => !outer.includes(each))) {
    plan.unneeded(setting, INNER);
  }
  const hosts = [...new Set(outer.map(({ value }) => textOf(value)))];
  const [host = null] = hosts;
  if (outer.length > 0 && hosts.includes(null)) {
    for (const setting of outer) plan.leftOut(setting, 'It is no address.', 'set host');
    return;
  }
  if (host === null) return;
  if (hosts.length > 1) {
    for (const setting of outer) {
      plan.leftOut(
        setting,
        'The services have several addresses, and one server listens on one.',
        'set host to the one that counts, or to 0.0.0.0 for all of the machine',
      );
    }
    return;
  }
  plan.set('host', host);
  for (const setting of outer) plan.carried(setting, 'host');
}

function takePort(setting: Setting, known: Map<ServiceName, Known>, plan: ImportPlan): void {
  const { service, value } = setting;
  const port = portOf(value);
  if (!isService(service)) plan.unneeded(setting, INNER);
  else if (port === null) plan.leftOut(setting, NO_PORT, PORT_ADVICE);
  else {
    known.set(service, { port });
    plan.carried(setting, port === SERVICE_PORTS[service] ? 'servicePorts' : 'services');
  }
}

const PORT_ADVICE = 'set the port in services of the configuration';
const NO_PORT = 'It is no port.';

function portOf(value: unknown): number | null {
  const port = numberOf(value);
  return port !== null && Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

function takePlace(
  place: ClientPlace,
  known: Map<ServiceName, Known>,
  { plan, checks }: AddressDeps,
): void {
  const { service, port, prefix } = place;
  if (isService(service)) {
    const entry = known.get(service) ?? {};
    if (port !== null) takeClientPort({ ...place, port }, service, entry, plan);
    if (prefix !== null) takePrefix(place, prefix, entry, { plan, checks });
    if (entry.port !== undefined || entry.prefix !== undefined) known.set(service, entry);
  } else {
    const names = SERVICE_NAMES.join(', ');
    const meant = didYouMean(service, SERVICE_NAMES);
    plan.leftOut(
      place,
      `There is no service "${service}"${meant || '.'}`,
      `the services are ${names}`,
    );
  }
}

function takeClientPort(
  place: ClientPlace & { readonly port: number },
  service: ServiceName,
  entry: Known,
  plan: ImportPlan,
): void {
  const origin = { file: place.file, key: `${place.key}.port` };
  if (portOf(place.port) === null) plan.leftOut(origin, NO_PORT, PORT_ADVICE);
  else if (entry.port !== undefined && entry.port !== place.port) {
    plan.leftOut(
      origin,
      `The service itself is configured for port ${entry.port}, so something in between leads there.`,
      'let that lead to this server, or set the port in services of the configuration',
    );
  } else {
    entry.port = place.port;
    plan.carried(origin, place.port === SERVICE_PORTS[service] ? 'servicePorts' : 'services');
  }
}

const PREFIX = /^(?:\/[a-zA-Z0-9._~-]+)+$/;

function takePrefix(
  place: ClientPlace,
  written: string,
  entry: Known,
  { plan, checks }: AddressDeps,
): void {
  const origin = { file: place.file, key: `${place.key}.prefix` };
  const prefix = `/${written.replace(/^\/+|\/+$/g, '')}`;
  if (!PREFIX.test(prefix)) plan.leftOut(origin, FORM_OF_PREFIX, OTHER_PREFIX);
  else if (checks.hidesInterface(prefix)) {
    plan.leftOut(origin, 'Paths of the interface begin in this way, too.', OTHER_PREFIX);
  } else {
    entry.prefix = prefix;
    plan.carried(origin, 'services');
  }
}

const FORM_OF_PREFIX = 'A prefix has letters, digits, ".", "_", "~" and "-" between its slashes.';
const OTHER_PREFIX = 'choose another one, for the server and for its clients';
