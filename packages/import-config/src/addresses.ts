/** Where services listened, and where clients look for them. */
import { didYouMean } from '@tutti/manifests/documents';
import { numberOf, textOf } from '@tutti/manifests/values';
import { SERVICE_NAMES, SERVICE_PORTS, type ServiceName } from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import type { Origin, Setting, Settings } from './settings.ts';

/** Where a client finds one service, as it is configured. */
export interface ClientPlace extends Origin {
  readonly service: string;
  readonly port: number | null;
  /** As it is written: without its slash, mostly. */
  readonly prefix: string | null;
}

type Known = Map<ServiceName, { port?: number; prefix?: string }>;

const INNER = 'Nobody calls this service from outside, and here it has no address of its own.';

const isService = (name: string | null): name is ServiceName =>
  SERVICE_NAMES.some((each) => each === name);

export function importAddresses(
  settings: Settings,
  places: readonly ClientPlace[],
  plan: ImportPlan,
): void {
  importHost(settings.named('host'), plan);
  const known: Known = new Map();
  for (const setting of settings.named('port')) {
    if (isService(setting.service)) takePort(setting, setting.service, setting.value, known, plan);
    else plan.unneeded(setting, INNER);
  }
  for (const place of places) takePlace(place, known, plan);
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
  const [outer, inner] = [true, false].map((isOuter) =>
    settings.filter(({ service }) => isService(service) === isOuter),
  );
  for (const setting of inner ?? []) plan.unneeded(setting, INNER);
  const hosts = [...new Set(outer?.map(({ value }) => textOf(value)))];
  for (const setting of outer ?? []) {
    if (hosts.includes(null)) plan.leftOut(setting, 'It is no address.', 'set host');
    else if (hosts.length > 1) plan.leftOut(setting, SEVERAL_HOSTS, ONE_HOST);
    else plan.carry(setting, 'host', hosts[0]);
  }
}

const SEVERAL_HOSTS = 'The services have several addresses, and one server listens on one.';
const ONE_HOST = 'set host to the one that counts, or to 0.0.0.0 for all of the machine';

function takePort(
  origin: Origin,
  service: ServiceName,
  value: unknown,
  known: Known,
  plan: ImportPlan,
): void {
  const port = numberOf(value);
  const entry = known.get(service) ?? {};
  if (port === null || !Number.isInteger(port) || port < 1 || port > 65_535) {
    plan.leftOut(origin, 'It is no port.', 'set the port in services of the configuration');
  } else if (entry.port !== undefined && entry.port !== port) {
    plan.leftOut(
      origin,
      `The service itself is configured for port ${entry.port}, so something in between leads there.`,
      'let that lead to this server, or set the port in services of the configuration',
    );
  } else {
    known.set(service, { ...entry, port });
    plan.carried(origin, port === SERVICE_PORTS[service] ? 'servicePorts' : 'services');
  }
}

function takePlace(place: ClientPlace, known: Known, plan: ImportPlan): void {
  const { file, key, service, port, prefix } = place;
  if (isService(service)) {
    if (port !== null) takePort({ file, key: `${key}.port` }, service, port, known, plan);
    if (prefix !== null) takePrefix({ file, key: `${key}.prefix` }, service, prefix, known, plan);
    return;
  }
  const why = `There is no service "${service}"${didYouMean(service, SERVICE_NAMES) || '.'}`;
  plan.leftOut(place, why, `the services are ${SERVICE_NAMES.join(', ')}`);
}

const PREFIX = /^(?:\/[a-zA-Z0-9._~-]+)+$/;
const FORM_OF_PREFIX = 'A prefix has letters, digits, ".", "_", "~" and "-" between its slashes.';
const OTHER_PREFIX = 'choose another one, for the server and for its clients';

function takePrefix(
  origin: Origin,
  service: ServiceName,
  written: string,
  known: Known,
  plan: ImportPlan,
): void {
  const prefix = `/${written.replace(/^\/+|\/+$/g, '')}`;
  if (!PREFIX.test(prefix)) plan.leftOut(origin, FORM_OF_PREFIX, OTHER_PREFIX);
  else if (plan.checks.hidesInterface(prefix)) {
    plan.leftOut(origin, 'Paths of the interface begin in this way, too.', OTHER_PREFIX);
  } else {
    known.set(service, { ...known.get(service), prefix });
    plan.carried(origin, 'services');
  }
}
