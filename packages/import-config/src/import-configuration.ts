/** Plans the import of existing configurations: the meaning of each setting, in our words. */
import { textOf } from '@tutti/manifests/values';
import type { FileChecks } from '@tutti/server';
import { importAccessFiles } from './access-files.ts';
import { importAddresses, importInsecureLogin, importPluginInboxes } from './addresses.ts';
import { importClient } from './client-config.ts';
import { importDefinitions, importHooks } from './definitions.ts';
import { adviceForPath, PathFinder, type PathMapping } from './found-paths.ts';
import { ImportPlan } from './import-plan.ts';
import { Origin } from './origin.ts';
import { importPlainSettings } from './plain-settings.ts';
import { importRetention } from './retention.ts';
import { settingsOfOptions, settingsOfService, settingsOfVariables } from './service-settings.ts';
import { type Setting, Settings } from './settings.ts';
import { readSources, type SourceDocument, type SourceKind } from './source-documents.ts';
import { importPools } from './ssh-pools.ts';
import { importTrustedKeys } from './trusted-keys.ts';

export interface ImportWishes {
  readonly mappings: readonly PathMapping[];
  /** Name of a context in the files of services; null for their current one. */
  readonly context: string | null;
  /** Options that services are started with, by their names with `_`. */
  readonly started: Readonly<Record<string, string | undefined>>;
}

export async function importConfiguration(
  documents: readonly SourceDocument[],
  { mappings, context, started }: ImportWishes,
  checks: FileChecks,
): Promise<ImportPlan> {
  const plan = new ImportPlan(new PathFinder(mappings), checks);
  const settings = settingsOf(documents, context, started, plan);
  const of = (kind: SourceKind) => documents.filter((each) => each.kind === kind);
  const places = of('client').flatMap((document) => importClient(document, plan));
  importPluginInboxes(settings, plan);
  importAddresses(settings, places, plan);
  importInsecureLogin(settings, plan);
  await importTrustedKeys(settings, plan);
  importAccessFiles(settings);
  const policies = settings.of('observer', 'retention_policy');
  const named = await namedDocuments(policies, 'retention policy');
  importRetention(settings, withoutRepeated([...named, ...of('retention policy')]), plan);
  importDefinitions(settings, documents, plan);
  importHooks(settings, plan);
  const pools = await namedDocuments(settings.named('ssh_channel_pools'), 'SSH pools');
  importPools(settings, withoutRepeated([...documents, ...pools]), plan);
  importPlainSettings(settings);
  for (const document of documents) tellUnused(document, plan);
  return plan;
}

/** Options of the command win over variables, and variables over files, as with existing services. */
function settingsOf(
  documents: readonly SourceDocument[],
  context: string | null,
  started: ImportWishes['started'],
  plan: ImportPlan,
): Settings {
  const of = (kind: SourceKind, read: (document: SourceDocument) => readonly Setting[]) =>
    documents.filter((document) => document.kind === kind).flatMap(read);
  const variables = of('variables', (document) => settingsOfVariables(document, plan));
  const named = variables.find(({ service, name }) => service === null && name === 'context');
  const wanted = context ?? textOf(named?.value);
  const services = of('service', (document) => settingsOfService(document, wanted, plan));
  return new Settings([...settingsOfOptions(started, plan), ...variables, ...services]);
}

/** Documents in the files that settings name. */
async function namedDocuments(settings: readonly Setting[], wanted: SourceKind) {
  const found: SourceDocument[] = [];
  for (const setting of settings) {
    const { text: path, folder, plan } = setting;
    const file = plan.paths.find(path, folder);
    const [document] = file === null ? [] : (await readSources([file])).documents;
    if (file === null) setting.leftOut(`There is no ${path} here.`, adviceForPath(path));
    else if (document?.kind !== wanted) {
      setting.leftOut(`${file} has no ${wanted}.`, 'correct the file, or name another one');
    } else found.push(document);
  }
  return found;
}

/** Drops a document that was given as well as named by a setting. */
const withoutRepeated = (documents: readonly SourceDocument[]): readonly SourceDocument[] => [
  ...new Map(documents.map((document) => [document.text, document])).values(),
];

const UNUSED: Partial<Readonly<Record<SourceKind, readonly [why: string, next: string]>>> = {
  hooks: [
    'Nothing says what the hooks are around.',
    'name the file in hooks.channel or hooks.providers of the configuration',
  ],
  key: [
    'No configuration trusts it.',
    'name it in auth.trustedKeys of the configuration, with its namespaces, if it is a public key whose tokens are to count',
  ],
  policies: [
    'Nothing names it.',
    'import it with --authorization-policy-file, --token-auth-file and --authorization-mode ABAC,JWT',
  ],
  trackers: [
    'This server tells trackers nothing.',
    'let a plugin outside do it: it subscribes as before, at the address of this server',
  ],
  launcher: [
    'The server has its services and functions within it, and starts no others.',
    'start plugins of your own yourself, with the address of this server as their event bus',
  ],
  unknown: [
    'It is no file that is known.',
    'if it has tokens, import it with --token-auth-file; if it has keys and namespaces, with --trustedkeys-auth-file; else leave it out',
  ],
};

function tellUnused({ file, kind }: SourceDocument, plan: ImportPlan): void {
  if (plan.paths.isUsed(file)) return;
  const origin = new Origin(plan, file, kind === 'unknown' ? 'the file' : kind);
  if (kind === 'descriptor') origin.unneeded('The server knows its own functions.');
  const [why, next] = UNUSED[kind] ?? [];
  if (why !== undefined && next !== undefined) origin.leftOut(why, next);
}
