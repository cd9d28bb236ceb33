/** Reads settings from the files of services, each of which has contexts, and from files of variables. */
import { basename, dirname } from 'node:path';
import { didYouMean } from '@tutti/manifests/documents';
import { textOf } from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { Origin } from './origin.ts';
import { Setting } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

const KINDS: ReadonlyMap<string, string> = new Map([
  ['EventBusConfig', 'eventbus'],
  ['SSHServiceConfig', 'sshchannel'],
]);

/** The service of a file: its name says it, unless its kind is more precise. */
export function serviceOf({ file, value }: SourceDocument): string {
  return (
    KINDS.get(String(value.kind)) ??
    basename(file)
      .replace(/\.[^.]*$/, '')
      .toLowerCase()
  );
}

const ROOT_KEYS = ['apiVersion', 'kind', 'metadata', 'current-context', 'contexts', 'pools'];

/** Settings of the current context. The report names the other contexts, and a wanted context that is missing. */
export function settingsOfService(
  document: SourceDocument,
  wanted: string | null,
  plan: ImportPlan,
): readonly Setting[] {
  const { file, value } = document;
  const root = new Origin(plan, file, '');
  root.tellUnknownKeys(value, ROOT_KEYS);
  const contexts = root.at('contexts').named(value.contexts, 'context');
  const names = contexts.map(({ name }) => name);
  const current = wanted ?? textOf(value['current-context']) ?? names[0] ?? '';
  const chosen = contexts.find(({ name }) => name === current);
  if (chosen === undefined) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const why = `There is no context "${current}"${didYouMean(current, names) || `; ${known}.`}`;
    root.at('contexts').leftOut(why, 'name one of them with --context');
    return [];
  }
  for (const { name, origin } of contexts) {
    if (name !== current) origin.unneeded(`The context "${current}" counts.`);
  }
  const service = serviceOf(document);
  const folder = dirname(file);
  return Object.entries(chosen.entries).map(
    ([name, entry]) => new Setting(root.at(name), { service, name, value: entry, folder }),
  );
}

/** Services whose variables begin with their names. */
export const SERVICES: readonly string[] = [
  ...['receptionist', 'observer', 'killswitch', 'eventbus', 'agentchannel', 'qualitygate'],
  ...['localstore', 'insightcollector', 'arranger', 'interpreter'],
];

/** Variables that belong to no single service. All others belong to the machine, and are ignored. */
const COMMON =
  /^(?:OPENTF_\w+|DEBUG_LEVEL|PUBLIC_KEY|KEY_SIZE|TRUSTEDKEYS_PATH|BUS_\w+|SSH_CHANNEL_\w+|\w+_(?:PROVIDER|CHANNEL)_HOOKS|\w+_DEBUG_LEVEL|CURL_CA_BUNDLE|HTTPS?_PROXY|https?_proxy)$/;

export function settingsOfVariables({ file, text }: SourceDocument, plan: ImportPlan) {
  return variablesOf(text).flatMap(({ key, value }) => {
    const origin = new Origin(plan, file, key);
    const service = SERVICES.find((name) => key.startsWith(`${name.toUpperCase()}_`)) ?? null;
    if (value === '') {
      origin.unneeded('It has no value.');
      return [];
    }
    if (service === null && !COMMON.test(key)) {
      origin.unneeded('It is no variable of the orchestrator.');
      return [];
    }
    const prefix = service === null ? /^OPENTF_/ : new RegExp(`^${service.toUpperCase()}_`);
    const name = key.replace(prefix, '').toLowerCase();
    return [new Setting(origin, { service, name, value, folder: dirname(file) })];
  });
}

interface Variable {
  readonly key: string;
  readonly value: string;
}

function variablesOf(text: string): readonly Variable[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, written = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value: unquoted(written.trim()) }];
  });
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;

/** Settings from the command line that starts the services. */
export function settingsOfOptions(
  options: Readonly<Record<string, string | undefined>>,
  plan: ImportPlan,
): readonly Setting[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const origin = new Origin(plan, 'command line', `--${name.replaceAll('_', '-')}`);
    return [new Setting(origin, { service: null, name, value, folder: '' })];
  });
}
