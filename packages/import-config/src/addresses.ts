/** Imports the addresses of services, the addresses that clients use, and the addresses that need no token. */
import { isIP } from 'node:net';
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, numberOf, textOf } from '@tutti/manifests/values';
import * as server from '@tutti/server';
import type { Place } from './place.ts';
import { SERVICES, type Settings } from './settings.ts';

const { configSchema, isLoopback, SERVICE_NAMES, SERVICE_PORTS } = server;

type Known = Map<server.ServiceName, { port?: number; prefix?: string }>;

const INNER = 'Nobody calls this service from outside, and here it has no address of its own.';

export const isService = (name: string | null): name is server.ServiceName =>
  SERVICE_NAMES.some((each) => each === name);

/** `orchestrators` of the current contexts of clients name ports and prefixes of services, too. */
export function importAddresses(settings: Settings, orchestrators: readonly Place[]): void {
  const { plan } = settings;
  importPluginInboxes(settings);
  importInsecureLogin(settings, importHost(settings));
  const known: Known = new Map();
  for (const setting of settings.take('port')) {
    if (isService(setting.service)) takePort(setting, setting.service, known);
    else setting.report`${INNER}`;
  }
  for (const orchestrator of orchestrators) takePlaces(orchestrator, known);
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

/** All services are one server here, which listens on one address: the returned one. */
function importHost(settings: Settings): string {
  const all = settings.take('host');
  const outer = all.filter(({ service }) => isService(service));
  const hosts = new Set(outer.map(({ value }) => textOf(value)));
  for (const setting of all) {
    if (!outer.includes(setting)) setting.report`${INNER}`;
    else if (hosts.has(null)) setting.report`It is no address. | set host`;
    else if (hosts.size === 1) setting.carry('host', setting.text);
    else {
      setting.report`The services have several addresses, and one server listens on one. | set host to the one that counts, or to 0.0.0.0 for all of the machine`;
    }
  }
  const [host] = hosts;
  return (hosts.size === 1 && host) || configSchema.properties.host.default;
}

function takePort(place: Place, service: server.ServiceName, known: Known): void {
  const port = numberOf(place.value);
  const entry = known.get(service) ?? {};
  if (port === null || !Number.isInteger(port) || port < 1 || port > 65_535) {
    place.report`It is no port. | set the port in services of the configuration`;
  } else if (entry.port !== undefined && entry.port !== port) {
    place.report`The service itself is configured for port ${entry.port}, so something in between leads there. | let that lead to this server, or set the port in services of the configuration`;
  } else {
    known.set(service, { ...entry, port });
    place.carried(port === SERVICE_PORTS[service] ? 'servicePorts' : 'services');
  }
}

/** Old files have `ports`, with a number for each service, in place of `services`. */
function takePlaces(orchestrator: Place, known: Known): void {
  const isSecure = /^https:/i.test(orchestrator.at('server').text);
  const ports = orchestrator.at('ports');
  const ofPorts = ports.children.map(({ name, value }) => ports.at(name, { port: value }));
  for (const place of [...orchestrator.at('services').children, ...ofPorts]) {
    const { name } = place;
    const [port, prefix] = [place.at('port'), place.at('prefix')];
    const hasPort = numberOf(port.value) !== null;
    if (hasPort && isSecure) {
      port.report`The port speaks TLS, so it is that of a proxy, which stays (tutti docs operate/reverse-proxy).`;
    }
    if (!isService(name)) {
      const meant = didYouMean(name, SERVICE_NAMES) || '.';
      place.report`There is no service "${name}"${meant} | the services are ${SERVICE_NAMES.join(', ')}`;
      continue;
    }
    if (hasPort && !isSecure) takePort(port, name, known);
    if (prefix.text !== '') takePrefix(prefix, name, known);
  }
}

function takePrefix(place: Place, service: server.ServiceName, known: Known): void {
  const prefix = `/${place.text.replace(/^\/+|\/+$/g, '')}`;
  const next = 'choose another one, for the server and for its clients';
  if (!/^(?:\/[a-zA-Z0-9._~-]+)+$/.test(prefix)) {
    place.report`A prefix has letters, digits, ".", "_", "~" and "-" between its slashes. | ${next}`;
  } else if (place.plan.checks.hidesInterface(prefix)) {
    place.report`Paths of the interface begin in this way, too. | ${next}`;
  } else {
    known.set(service, { ...known.get(service), prefix });
    place.carried('services');
  }
}

const ADVICE =
  'make tokens: "tutti tokens create --subject NAME"; commands on this machine find that of the administrator';

/** Lets programs of this machine use no token, if existing services did so too. */
function importInsecureLogin(settings: Settings, host: string): void {
  const addresses = settings.take('insecure_bind_address');
  for (const setting of addresses) {
    setting.report`Only programs of the machine itself may ever do without a token.`;
  }
  const logins = settings.take('enable_insecure_login');
  const open = logins.filter(({ value }) => booleanOf(value) === true);
  const isClosed = (name: string) =>
    settings.services.has(name) &&
    !open.some(({ service }) => service === null || service === name);
  const closed = SERVICE_NAMES.filter(isClosed).join(', ');
  for (const setting of logins) {
    if (!open.includes(setting)) setting.report`There is no access without a token.`;
    else if (closed !== '') {
      setting.report`Tokens are wanted by ${closed}, and here that would be open, too. | ${ADVICE}`;
    } else if (addresses.some(({ text }) => text !== '127.0.0.1')) {
      setting.report`It was for programs of another machine, and only those of this one may do without a token. | ${ADVICE}`;
    } else if (isLoopback(host)) setting.carry('auth.insecureLogin', true);
    else setting.report`Other machines reach the address that the server listens on. | ${ADVICE}`;
  }
}

const NETWORKS = 'outgoing.privateNetworks';
/** Networks that a host name may lead to, as its address is unknown. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/**
 * Allows the server to send publications to plugins on other machines. A plugin names its inbox by `eventbus.hostname`, else
 * by `host`. Services of the orchestrator are one process here.
 */
function importPluginInboxes(settings: Settings): void {
  const networks = new Set<string>();
  for (const setting of settings.take((each) => elsewhere(each) !== null)) {
    const host = elsewhere(setting) ?? '';
    for (const network of isIP(host) === 0 ? PRIVATE_NETWORKS : [host]) networks.add(network);
    settings.plan.set(NETWORKS, [...networks]);
    const why =
      'The plugin has its inbox on another machine, which the server asks only if it may.';
    setting.carried(NETWORKS, why, `leave in ${NETWORKS} only the networks that have plugins`);
  }
}

/** Host of an inbox of a plugin on another machine; null for this machine. */
function elsewhere(setting: Place): string | null {
  const { service, name } = setting;
  const isInbox = name === 'eventbus' || name === 'host';
  if (service === null || SERVICES.includes(service) || !isInbox) return null;
  const host = (name === 'host' ? setting : setting.at('hostname')).text;
  // A plugin that listens on all addresses of its machine names one of these in its subscription.
  return ['', '0.0.0.0', '::'].includes(host) || isLoopback(host) ? null : host;
}
