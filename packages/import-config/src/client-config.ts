/** The configuration of existing clients: each context becomes a file with the variables that our commands read. */
import { serviceAddress } from '@tutti/client/service-addresses';
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, type Entries, entriesOf, numberOf, textOf } from '@tutti/manifests/values';
import type { ClientPlace } from './addresses.ts';
import { copyName } from './found-paths.ts';
import type { ImportPlan } from './import-plan.ts';
import { MEND, type NamedEntries, Origin } from './origin.ts';
import type { SourceDocument } from './source-documents.ts';

/** Advice for contexts: our commands can read the file of existing clients as it is. */
const KEEP_CONTEXTS = 'keep the contexts as they are: "tutti config import"';
const ANOTHER_TOKEN = 'name one with --token-file or TUTTI_TOKEN';
const ADDRESS = 'name the server with --server or TUTTI_SERVER';
const ROOT_KEYS = [
  ...['apiVersion', 'kind', 'metadata', 'current-context', 'contexts', 'orchestrators', 'users'],
];

/** Returns the client's addresses of the services of the current context. */
export function importClient(document: SourceDocument, plan: ImportPlan): readonly ClientPlace[] {
  const { file, value } = document;
  const root = new Origin(plan, file, '');
  root.tellUnknownKeys(value, ROOT_KEYS);
  const contexts = root.at('contexts').named(value.contexts, 'context');
  const orchestrators = root.at('orchestrators').named(value.orchestrators, 'orchestrator');
  const users = root.at('users').named(value.users, 'user');
  const current = textOf(value['current-context']);
  const known = contexts.map(({ name }) => name);
  if (current !== null && !known.includes(current)) {
    const why = `There is no context "${current}"${didYouMean(current, known) || '.'}`;
    root.at('current-context').leftOut(why, 'use the file of another one');
  }
  const made = contexts.map((context) => importContext(context, orchestrators, users));
  for (const orchestrator of orchestrators) tellOrchestrator(orchestrator);
  for (const user of users) tellUser(user);
  for (const [part, all] of Object.entries({ orchestrator: orchestrators, user: users })) {
    const used = contexts.map(({ entries }) => entries[part]);
    for (const { name, origin } of all) {
      if (!used.includes(name)) origin.unneeded('No context names it.');
    }
  }
  const server = made[known.indexOf(current ?? '')] ?? null;
  return server === null ? [] : placesOf(server);
}

/** Returns the orchestrator of the context; null when there is none. */
function importContext(
  { name, origin, entries }: NamedEntries,
  orchestrators: readonly NamedEntries[],
  users: readonly NamedEntries[],
): NamedEntries | null {
  origin.tellUnknownKeys(entries, ['orchestrator', 'user', 'namespace']);
  const orchestrator = partOf(origin, 'orchestrator', entries, orchestrators);
  const user = partOf(origin, 'user', entries, users);
  const namespace = textOf(entries.namespace);
  if (namespace !== null) {
    origin
      .at('namespace')
      .leftOut(
        'A file of variables has no namespace.',
        `${KEEP_CONTEXTS}, or name it when a run is started: "tutti run FILE --namespace ${namespace}"`,
      );
  }
  // Clients start workflows at the receptionist's address, which has the whole interface.
  const address =
    orchestrator === null ? null : serviceAddress(orchestrator.entries, 'receptionist');
  if (address !== null) {
    origin.carried(writeVariables(origin.plan, name, address, user));
    return orchestrator;
  }
  if (orchestrator !== null) origin.leftOut('Its server has no address.', ADDRESS);
  return null;
}

/** The reason why a value is no token. It never quotes the value. */
function whyNoToken(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'There is no token.';
  return typeof value === 'string'
    ? 'It is no token: it has blanks, line breaks or signs that no token has.'
    : 'It is no token, as it is no text.';
}

/** Writes the file with variables of a context, and returns its path. */
function writeVariables(
  plan: ImportPlan,
  name: string,
  address: string,
  user: NamedEntries | null,
) {
  const token = textOf(user?.entries.token);
  const isUsable = token !== null && /^[\x21-\x7e]+$/.test(token);
  const lines = [`TUTTI_SERVER=${quoted(address)}\n`];
  if (isUsable) lines.push(`TUTTI_TOKEN=${quoted(token)}\n`);
  const { path } = plan.addFile(`clients/${copyName(name)}.env`, lines.join(''), true);
  if (isUsable) user?.origin.at('token').carried(path);
  else user?.origin.at('token').leftOut(whyNoToken(user.entries.token), ANOTHER_TOKEN);
  return path;
}

/** Quotes a text for shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

type Part = 'orchestrator' | 'user';

/** The orchestrator or the user that a context names. */
function partOf(origin: Origin, part: Part, entries: Entries, all: readonly NamedEntries[]) {
  const name = textOf(entries[part]);
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const meant =
    name === null
      ? ''
      : didYouMean(
          name,
          all.map((each) => each.name),
        );
  const why =
    name === null ? `It names no ${part}.` : `There is no ${part} "${name}"${meant || '.'}`;
  origin.at(part).leftOut(why, MEND);
  return null;
}

function placesOf({ origin, entries }: NamedEntries): readonly ClientPlace[] {
  const isSecure = /^https:/i.test(textOf(entries.server) ?? '');
  const ofServices = Object.entries(entriesOf(entries.services)).map(([service, place]) => {
    const { port, prefix } = entriesOf(place);
    return { list: 'services', service, port: numberOf(port), prefix: textOf(prefix) };
  });
  const ofPorts = Object.entries(entriesOf(entries.ports)).map(([service, port]) => {
    return { list: 'ports', service, port: numberOf(port), prefix: null };
  });
  return [...ofServices, ...ofPorts].map(({ list, ...place }) => {
    const at = origin.at(list).at(place.service);
    if (!isSecure || place.port === null) return { ...place, origin: at };
    at.at('port').unneeded(
      'The port speaks TLS, so it is that of a proxy, which stays (docs/operate/reverse-proxy.md).',
    );
    return { ...place, origin: at, port: null };
  });
}

const KEPT: ReadonlyMap<string, string> = new Map([
  ['warmup-delay', 'Commands ask as often as the server has something new.'],
  ['polling-delay', 'Commands ask as often as the server has something new.'],
  ['max-retry', '"tutti run --wait" outlives restarts of the server.'],
]);
const INSECURE = 'insecure-skip-tls-verify';

function tellOrchestrator({ origin, entries }: NamedEntries): void {
  origin.tellUnknownKeys(entries, ['server', 'services', 'ports', INSECURE, ...KEPT.keys()]);
  for (const [setting, why] of KEPT) {
    if (Object.hasOwn(entries, setting)) origin.at(setting).unneeded(why);
  }
  if (booleanOf(entries[INSECURE]) === true) {
    const next = `name the authority of this one: TUTTI_CA_FILE=FILE, or ${KEEP_CONTEXTS}`;
    origin.at(INSECURE).leftOut('Certificates are checked unless somebody says otherwise.', next);
  }
  origin.at('ports').map(entries.ports);
  const services = origin.at('services').map(entries.services);
  for (const [service, value] of Object.entries(services)) {
    const where = origin.at('services').at(service);
    const place = where.map(value);
    where.tellUnknownKeys(place, ['port', 'prefix', 'force-base-url']);
    if (place['force-base-url'] === undefined) continue;
    where.at('force-base-url').unneeded('Links lead to where the client came from.');
  }
}

/** Settings about the display of output. */
const SHOWN: readonly string[] = [
  ...['job-depth', 'step-depth', 'max-command-length', 'output-prefix', 'colors', 'verbose'],
  'show-notifications',
];

function tellUser({ origin, entries }: NamedEntries): void {
  origin.tellUnknownKeys(entries, ['token', ...SHOWN]);
  for (const setting of SHOWN.filter((each) => Object.hasOwn(entries, each))) {
    origin.at(setting).leftOut('A file of variables has no such default.', KEEP_CONTEXTS);
  }
}
