/** The configuration of existing clients: each context becomes a file with the variables that our commands read. */

import { serviceAddress } from '@tutti/client/service-addresses';
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, type Entries, entriesOf, numberOf, textOf } from '@tutti/manifests/values';
import type { ClientPlace } from './addresses.ts';
import { copyName } from './found-paths.ts';
import type { ImportPlan } from './import-plan.ts';
import { knownMap, MEND, type NamedEntries, namedEntries, tellUnknownKeys } from './known-form.ts';
import type { Origin } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

/** Answers where the client looks for the services of the server that its current context is for. */
export function importClient(document: SourceDocument, plan: ImportPlan): readonly ClientPlace[] {
  const { file, value } = document;
  tellUnknownKeys({ file, key: '' }, value, ROOT_KEYS, plan);
  const named = (key: string, below: string) =>
    namedEntries({ file, key }, value[key], below, plan);
  const contexts = named('contexts', 'context');
  const orchestrators = named('orchestrators', 'orchestrator');
  const users = named('users', 'user');
  const current = textOf(value['current-context']);
  const known = contexts.map(({ name }) => name);
  if (current !== null && !known.includes(current)) {
    const why = `There is no context "${current}"${didYouMean(current, known) || '.'}`;
    plan.leftOut({ file, key: 'current-context' }, why, 'use the file of another one');
  }
  const made = contexts.map((context) => importContext(file, context, orchestrators, users, plan));
  for (const orchestrator of orchestrators) tellOrchestrator(file, orchestrator, plan);
  for (const user of users) tellUser(file, user, plan);
  const tellUnnamed = (part: string, all: readonly NamedEntries[]) => {
    const unnamed = all.filter(({ name }) =>
      contexts.every(({ entries }) => entries[part] !== name),
    );
    for (const { name } of unnamed) {
      plan.unneeded({ file, key: `${part}s.${name}` }, 'No context names it.');
    }
  };
  tellUnnamed('orchestrator', orchestrators);
  tellUnnamed('user', users);
  const server = made[contexts.findIndex(({ name }) => name === current)] ?? null;
  return server === null ? [] : placesOf(file, server, plan);
}

/** The other way: commands read the file of existing clients themselves. */
const KEEP_CONTEXTS = 'keep the contexts as they are: "tutti config import"';

const ROOT_KEYS = [
  ...['apiVersion', 'kind', 'metadata', 'current-context', 'contexts', 'orchestrators', 'users'],
];

/** Answers the orchestrator of the context; null when there is none. */
function importContext(
  file: string,
  { name, entries }: NamedEntries,
  orchestrators: readonly NamedEntries[],
  users: readonly NamedEntries[],
  plan: ImportPlan,
): NamedEntries | null {
  const origin = { file, key: `contexts.${name}` };
  tellUnknownKeys(origin, entries, ['orchestrator', 'user', 'namespace'], plan);
  const orchestrator = partOf(origin, 'orchestrator', entries, orchestrators, plan);
  const user = partOf(origin, 'user', entries, users, plan);
  const namespace = textOf(entries.namespace);
  if (namespace !== null) {
    plan.leftOut(
      { file, key: `${origin.key}.namespace` },
      'A file of variables has no namespace.',
      `${KEEP_CONTEXTS}, or name it when a run is started: "tutti run FILE --namespace ${namespace}"`,
    );
  }
  const address = orchestrator === null ? null : addressOf(orchestrator.entries);
  if (orchestrator === null || address === null) {
    if (orchestrator !== null) plan.leftOut(origin, 'Its server has no address.', ADDRESS);
    return null;
  }
  const path = writeVariables(origin, name, address, user, plan);
  plan.carried(origin, path);
  return orchestrator;
}

const ANOTHER_TOKEN = 'name one with --token-file or TUTTI_TOKEN';

/** Nothing of what stands there is told. */
function whyNoToken(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'There is no token.';
  return typeof value === 'string'
    ? 'It is no token: it has blanks, line breaks or signs that no token has.'
    : 'It is no token, as it is no text.';
}

const ADDRESS = 'name the server with --server or TUTTI_SERVER';

function writeVariables(
  { file }: Origin,
  name: string,
  address: string,
  user: NamedEntries | null,
  plan: ImportPlan,
): string {
  const token = textOf(user?.entries.token);
  const isUsable = token !== null && /^[\x21-\x7e]+$/.test(token);
  const lines = [
    `TUTTI_SERVER=${quoted(address)}`,
    ...(isUsable ? [`TUTTI_TOKEN=${quoted(token)}`] : []),
  ];
  const { path } = plan.addFile(`clients/${copyName(name)}.env`, `${lines.join('\n')}\n`, true);
  if (user === null) return path;
  const origin = { file, key: `users.${user.name}.token` };
  if (isUsable) plan.carried(origin, path);
  else plan.leftOut(origin, whyNoToken(user.entries.token), ANOTHER_TOKEN);
  return path;
}

/** For shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The orchestrator or the user that a context names. */
function partOf(
  { file, key }: Origin,
  part: 'orchestrator' | 'user',
  entries: Entries,
  all: readonly NamedEntries[],
  plan: ImportPlan,
): NamedEntries | null {
  const name = textOf(entries[part]);
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  const why =
    name === null
      ? `It names no ${part}.`
      : `There is no ${part} "${name}"${didYouMean(name, names) || '.'}`;
  plan.leftOut({ file, key: `${key}.${part}` }, why, MEND);
  return null;
}

/** Where a client starts workflows: the whole interface is there. */
const addressOf = (orchestrator: Entries): string | null =>
  serviceAddress(orchestrator, 'receptionist');

function placesOf(
  file: string,
  { name, entries }: NamedEntries,
  plan: ImportPlan,
): readonly ClientPlace[] {
  const isSecure = /^https:/i.test(textOf(entries.server) ?? '');
  const ofServices = Object.entries(entriesOf(entries.services)).map(([service, place]) => {
    const { port, prefix } = entriesOf(place);
    return { list: 'services', service, port: numberOf(port), prefix: textOf(prefix) };
  });
  const ofPorts = Object.entries(entriesOf(entries.ports)).map(([service, port]) => {
    return { list: 'ports', service, port: numberOf(port), prefix: null };
  });
  return [...ofServices, ...ofPorts].map(({ list, service, port, prefix }) => {
    const key = `orchestrators.${name}.${list}.${service}`;
    if (!isSecure || port === null) return { file, key, service, port, prefix };
    const why =
      'The port speaks TLS, so it is that of a proxy, which stays (docs/reverse-proxy.md).';
    plan.unneeded({ file, key: `${key}.port` }, why);
    return { file, key, service, port: null, prefix };
  });
}

const KEPT: ReadonlyMap<string, string> = new Map([
  ['warmup-delay', 'Commands ask as often as the server has something new.'],
  ['polling-delay', 'Commands ask as often as the server has something new.'],
  ['max-retry', '"tutti run --wait" outlives restarts of the server.'],
]);

function tellOrchestrator(file: string, { name, entries }: NamedEntries, plan: ImportPlan): void {
  const key = `orchestrators.${name}`;
  const insecure = 'insecure-skip-tls-verify';
  const known = ['server', 'services', 'ports', insecure, ...KEPT.keys()];
  tellUnknownKeys({ file, key }, entries, known, plan);
  for (const [setting, why] of KEPT) {
    if (Object.hasOwn(entries, setting)) plan.unneeded({ file, key: `${key}.${setting}` }, why);
  }
  if (booleanOf(entries[insecure]) === true) {
    plan.leftOut(
      { file, key: `${key}.${insecure}` },
      'Certificates are checked unless somebody says otherwise.',
      `name the authority of this one: TUTTI_CA_FILE=FILE, or ${KEEP_CONTEXTS}`,
    );
  }
  knownMap({ file, key: `${key}.ports` }, entries.ports, plan);
  const services = knownMap({ file, key: `${key}.services` }, entries.services, plan);
  for (const [service, value] of Object.entries(services)) {
    const where = { file, key: `${key}.services.${service}` };
    const place = knownMap(where, value, plan);
    tellUnknownKeys(where, place, ['port', 'prefix', 'force-base-url'], plan);
    if (place['force-base-url'] === undefined) continue;
    const origin = { file, key: `${where.key}.force-base-url` };
    plan.unneeded(origin, 'Links lead to where the client came from.');
  }
}

/** How output is shown. */
const SHOWN: readonly string[] = [
  'job-depth',
  'step-depth',
  'max-command-length',
  'output-prefix',
  'colors',
  'verbose',
  'show-notifications',
];

function tellUser(file: string, { name, entries }: NamedEntries, plan: ImportPlan): void {
  const known = ['token', ...SHOWN];
  tellUnknownKeys({ file, key: `users.${name}` }, entries, known, plan);
  for (const setting of SHOWN) {
    if (!Object.hasOwn(entries, setting)) continue;
    const origin = { file, key: `users.${name}.${setting}` };
    plan.leftOut(origin, 'A file of variables has no such default.', KEEP_CONTEXTS);
  }
}
