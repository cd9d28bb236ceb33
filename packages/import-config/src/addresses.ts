/** Imports the addresses of services, the addresses that clients use, and the addresses that need no token. */
import { isIP } from 'node:net';
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, entriesOf, numberOf, textOf } from '@tutti/manifests/values';
import {
  configSchema,
  isLoopback,
  SERVICE_NAMES,
  SERVICE_PORTS,
  type ServiceName,
} from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import type { Origin } from './origin.ts';
import { SERVICES } from './service-settings.ts';
import type { Setting, Settings } from './settings.ts';

/** Address of one service in the configuration of a client. */
export interface ClientPlace {
  readonly origin: Origin;
  readonly service: string;
  readonly port: number | null;
  /** The prefix as written: mostly without its slash. */
  readonly prefix: string | null;
}

type Known = Map<ServiceName, { port?: number; prefix?: string }>;

const INNER = 'Nobody calls this service from outside, and here it has no address of its own.';

export const isService = (name: string | null): name is ServiceName =>
  SERVICE_NAMES.some((each) => each === name);

export function importAddresses(
  settings: Settings,
  places: readonly ClientPlace[],
  plan: ImportPlan,
) {
  importHost(settings.named('host'));
  const known: Known = new Map();
  for (const setting of settings.named('port')) {
    if (isService(setting.service)) takePort(setting, setting.service, setting.value, known);
    else setting.unneeded(INNER);
  }
  for (const place of places) takePlace(place, known);
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

const SEVERAL_HOSTS = 'The services have several addresses, and one server listens on one.';
const ONE_HOST = 'set host to the one that counts, or to 0.0.0.0 for all of the machine';

/** All services are one server here, which listens on one address. */
function importHost(settings: readonly Setting[]): void {
  const outer = settings.filter(({ service }) => isService(service));
  for (const setting of settings) if (!outer.includes(setting)) setting.unneeded(INNER);
  const hosts = [...new Set(outer.map(({ value }) => textOf(value)))];
  for (const setting of outer) {
    if (hosts.includes(null)) setting.leftOut('It is no address.', 'set host');
    else if (hosts.length > 1) setting.leftOut(SEVERAL_HOSTS, ONE_HOST);
    else setting.carry('host', hosts[0]);
  }
}

function takePort(origin: Origin, service: ServiceName, value: unknown, known: Known): void {
  const port = numberOf(value);
  const entry = known.get(service) ?? {};
  if (port === null || !Number.isInteger(port) || port < 1 || port > 65_535) {
    origin.leftOut('It is no port.', 'set the port in services of the configuration');
  } else if (entry.port !== undefined && entry.port !== port) {
    origin.leftOut(
      `The service itself is configured for port ${entry.port}, so something in between leads there.`,
      'let that lead to this server, or set the port in services of the configuration',
    );
  } else {
    known.set(service, { ...entry, port });
    origin.carried(port === SERVICE_PORTS[service] ? 'servicePorts' : 'services');
  }
}

function takePlace({ origin, service, port, prefix }: ClientPlace, known: Known): void {
  if (isService(service)) {
    if (port !== null) takePort(origin.at('port'), service, port, known);
    if (prefix !== null) takePrefix(origin.at('prefix'), service, prefix, known);
    return;
  }
  const why = `There is no service "${service}"${didYouMean(service, SERVICE_NAMES) || '.'}`;
  origin.leftOut(why, `the services are ${SERVICE_NAMES.join(', ')}`);
}

const PREFIX = /^(?:\/[a-zA-Z0-9._~-]+)+$/;
const FORM_OF_PREFIX = 'A prefix has letters, digits, ".", "_", "~" and "-" between its slashes.';
const OTHER_PREFIX = 'choose another one, for the server and for its clients';

function takePrefix(origin: Origin, service: ServiceName, written: string, known: Known): void {
  const prefix = `/${written.replace(/^\/+|\/+$/g, '')}`;
  if (!PREFIX.test(prefix)) origin.leftOut(FORM_OF_PREFIX, OTHER_PREFIX);
  else if (origin.plan.checks.hidesInterface(prefix)) {
    origin.leftOut('Paths of the interface begin in this way, too.', OTHER_PREFIX);
  } else {
    known.set(service, { ...known.get(service), prefix });
    origin.carried('services');
  }
}

const ADVICE =
  'make tokens: "tutti tokens create --subject NAME"; commands on this machine find that of the administrator';

/** Lets programs of this machine use no token, if existing services did so too. Call it once the address is known. */
export function importInsecureLogin(settings: Settings, plan: ImportPlan): void {
  const addresses = settings.named('insecure_bind_address');
  for (const setting of addresses) {
    setting.unneeded('Only programs of the machine itself may ever do without a token.');
  }
  const isOpen = ({ value }: Setting) => booleanOf(value) === true;
  const logins = settings.named('enable_insecure_login');
  const host = String(plan.valueOf('host') ?? configSchema.properties.host.default);
  const why =
    objection(settings, logins.filter(isOpen), addresses) ??
    (isLoopback(host) ? null : 'Other machines reach the address that the server listens on.');
  for (const setting of logins) {
    if (!isOpen(setting)) setting.unneeded('There is no access without a token.');
    else if (why === null) setting.carry('auth.insecureLogin', true);
    else setting.leftOut(why, ADVICE);
  }
}

/** The reason why requests would need no token that needed one before; null without one. */
function objection(settings: Settings, open: readonly Setting[], addresses: readonly Setting[]) {
  const isForAll = open.some(({ service }) => service === null);
  const others = SERVICE_NAMES.filter(
    (name) => settings.has(name) && open.every(({ service }) => service !== name),
  );
  if (!isForAll && others.length > 0) {
    return `Tokens are wanted by ${others.join(', ')}, and here that would be open, too.`;
  }
  return addresses.every(({ value }) => textOf(value) === '127.0.0.1')
    ? null
    : 'It was for programs of another machine, and only those of this one may do without a token.';
}

const NETWORKS = 'outgoing.privateNetworks';
const WHY = 'The plugin has its inbox on another machine, which the server asks only if it may.';
/** Networks that a host name may lead to, as its address is unknown. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
/** A plugin that listens on all addresses of its machine names one of these in its subscription. */
const UNSPECIFIED = ['0.0.0.0', '::'];

/**
 * Allows the server to send publications to plugins on other machines. A plugin names its inbox by `eventbus.hostname`, else
 * by `host`. Services of the orchestrator are one process here.
 */
export function importPluginInboxes(settings: Settings, plan: ImportPlan): void {
  const networks = new Set<string>();
  for (const setting of settings.matching((each) => elsewhere(each) !== null)) {
    const host = elsewhere(setting) ?? '';
    for (const network of isIP(host) === 0 ? PRIVATE_NETWORKS : [host]) networks.add(network);
    plan.set(NETWORKS, [...networks]);
    setting.changed(NETWORKS, WHY, `leave in ${NETWORKS} only the networks that have plugins`);
  }
}

/** Host of an inbox of a plugin on another machine; null for this machine. */
function elsewhere({ service, name, value }: Setting): string | null {
  const isInbox = name === 'eventbus' || name === 'host';
  if (service === null || SERVICES.includes(service) || !isInbox) return null;
  const host = textOf(name === 'eventbus' ? entriesOf(value).hostname : value);
  return host === null || isLoopback(host) || UNSPECIFIED.includes(host) ? null : host;
}
