/** The settings of existing services: options of the command that starts them, variables, and contexts in files of services. */
import { basename } from 'node:path';
import { didYouMean } from '@tutti/manifests/documents';
import { textOf } from '@tutti/manifests/values';
import { SERVICE_NAMES } from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import { Place } from './place.ts';
import type { SourceDocument, SourceKind } from './source-documents.ts';

/** Settings to import. Each part of the import takes its own. The report names those that no part took as unknown. */
export class Settings {
  readonly plan: ImportPlan;
  readonly documents: readonly SourceDocument[];
  /** Services with settings. */
  readonly services: ReadonlySet<string | null>;
  readonly #rest: Set<Place>;

  /** Options win over variables, and variables over files, as with existing services. */
  constructor(plan: ImportPlan, documents: readonly SourceDocument[]) {
    const { context, started } = plan.wishes;
    this.plan = plan;
    this.documents = documents;
    const options = Object.entries(started).flatMap(([name, value]) => {
      const key = `--${name.replaceAll('_', '-')}`;
      return value === undefined ? [] : new Place(plan, { file: 'command line', key, name, value });
    });
    const variables = this.of('variables').flatMap(settingsOfVariables);
    const named = variables.find(({ service, name }) => service === null && name === 'context');
    const wanted = context ?? textOf(named?.value);
    const services = this.of('service').flatMap((root) => settingsOfService(root, wanted));
    const counting = new Map<string, Place>();
    for (const setting of [...options, ...variables, ...services]) {
      const id = `${setting.service} ${setting.name}`;
      const by = counting.get(id);
      if (by === undefined) counting.set(id, setting);
      else setting.report`${by.key} in ${by.file} wins over it.`;
    }
    this.#rest = new Set(counting.values());
    this.services = new Set([...this.#rest].map(({ service }) => service));
  }

  /** The documents of a kind. */
  of(kind: SourceKind): readonly Place[] {
    return this.documents.filter((each) => each.kind === kind).map((each) => this.root(each));
  }

  root({ file, value }: SourceDocument): Place {
    return new Place(this.plan, { file, key: '', value });
  }

  /** Settings of that name, or of those that fit; of any service by default. */
  take(which: string | ((setting: Place) => boolean), service?: string): readonly Place[] {
    const fits = typeof which === 'string' ? ({ name }: Place) => name === which : which;
    const isMeant = (setting: Place) => service === undefined || setting.service === service;
    const found = [...this.#rest].filter((setting) => isMeant(setting) && fits(setting));
    for (const setting of found) this.#rest.delete(setting);
    return found;
  }
}

/** Settings of the current context. The report names the other contexts, and a wanted context that is missing. */
function settingsOfService(root: Place, wanted: string | null): readonly Place[] {
  root.reportKeys('apiVersion kind metadata current-context contexts pools');
  const contexts = root.at('contexts').named('context');
  const names = contexts.map(({ name }) => name);
  const current = wanted ?? (root.at('current-context').text || (names[0] ?? ''));
  const chosen = contexts.find(({ name }) => name === current);
  if (chosen === undefined) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const meant = didYouMean(current, names) || `; ${known}.`;
    return root.at('contexts')
      .report`There is no context "${current}"${meant} | name one of them with --context`;
  }
  for (const context of contexts) {
    if (context.name !== current) context.report`The context "${current}" counts.`;
  }
  const { plan, file } = root;
  const service = serviceOf(root);
  return chosen.children.map(({ name, value }) => {
    return new Place(plan, { file, key: name, name, value, service });
  });
}

/** The service of a file: its name says it, unless its kind is more precise. */
function serviceOf(root: Place): string {
  const kind = root.at('kind').value;
  if (kind === 'EventBusConfig') return 'eventbus';
  if (kind === 'SSHServiceConfig') return 'sshchannel';
  return basename(root.file)
    .replace(/\.[^.]*$/, '')
    .toLowerCase();
}

/** Services whose variables begin with their names. */
export const SERVICES: readonly string[] = [...SERVICE_NAMES, 'arranger', 'interpreter'];

/** Variables that belong to no single service. All others belong to the machine, and are ignored. */
const COMMON =
  /^(?:OPENTF_\w+|DEBUG_LEVEL|PUBLIC_KEY|KEY_SIZE|TRUSTEDKEYS_PATH|BUS_\w+|SSH_CHANNEL_\w+|\w+_(?:PROVIDER|CHANNEL)_HOOKS|\w+_DEBUG_LEVEL|CURL_CA_BUNDLE|HTTPS?_PROXY|https?_proxy)$/;

function settingsOfVariables({ plan, file, text }: Place): readonly Place[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, written = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (key === undefined) return [];
    const service = SERVICES.find((name) => key.startsWith(`${name.toUpperCase()}_`)) ?? null;
    const value = written.trim().replace(/^(["'])(.*)\1$/, '$2');
    const prefix = service === null ? /^OPENTF_/ : `${service.toUpperCase()}_`;
    const name = key.replace(prefix, '').toLowerCase();
    const setting = new Place(plan, { file, key, value, service, name });
    if (value !== '' && (service !== null || COMMON.test(key))) return [setting];
    setting.leftOut(value === '' ? 'It has no value.' : 'It is no variable of the orchestrator.');
    return [];
  });
}
