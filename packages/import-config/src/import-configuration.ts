/** Plans the import of existing configurations: the meaning of each setting, in our words. */
import { resolve } from 'node:path';
import type { FileChecks } from '@tutti/server';
import { importAccessFiles, importTrustedKeys } from './access.ts';
import { importAddresses } from './addresses.ts';
import { importClient } from './client-config.ts';
import { importDefinitions } from './definitions.ts';
import { ImportPlan, type ImportWishes } from './import-plan.ts';
import { Place, rowsOf } from './place.ts';
import { importRetention } from './retention.ts';
import { importPlainSettings } from './setting-table.ts';
import { Settings } from './settings.ts';
import { readSources, type SourceDocument, type SourceKind } from './source-documents.ts';
import { importPools } from './ssh-pools.ts';

export async function importConfiguration(
  documents: readonly SourceDocument[],
  wishes: ImportWishes,
  checks: FileChecks,
): Promise<ImportPlan> {
  const plan = new ImportPlan(wishes, checks);
  const settings = new Settings(plan, documents);
  importAddresses(settings, settings.of('client').flatMap(importClient));
  await importTrustedKeys(settings);
  importAccessFiles(settings);
  const policies = settings.take('retention_policy', 'observer');
  const ofPolicies = documents.filter(({ kind }) => kind === 'retention policy');
  importRetention(settings, await withNamed(ofPolicies, policies, 'retention policy'));
  importDefinitions(settings);
  const pools = settings.take('ssh_channel_pools');
  importPools(settings, await withNamed(documents, pools, 'SSH pools'));
  importPlainSettings(settings);
  for (const { file, kind } of documents) {
    const [, why, next] = UNUSED.find(([unused]) => unused === kind) ?? [];
    if (why === undefined || plan.used.has(resolve(file))) continue;
    new Place(plan, { file, key: kind === 'unknown' ? 'the file' : kind }).leftOut(why, next);
  }
  return plan;
}

/** Adds the documents in the files that settings name. A document that is given as well as named counts once. */
async function withNamed(
  given: readonly SourceDocument[],
  settings: readonly Place[],
  wanted: SourceKind,
): Promise<readonly SourceDocument[]> {
  const found: SourceDocument[] = [];
  for (const setting of settings) {
    const file = setting.find();
    const [document] = file === null ? [] : (await readSources([file])).documents;
    if (file === null) setting.missing();
    else if (document?.kind !== wanted) {
      setting.report`${file} has no ${wanted}. | correct the file, or name another one`;
    } else found.push(document);
  }
  return [...new Map([...found, ...given].map((each) => [each.text, each])).values()];
}

/** Kinds of documents that nothing is made of unless a setting names them: why, and what to do. */
const UNUSED = rowsOf(`
hooks | Nothing says what the hooks are around. | name the file in hooks.channel or hooks.providers of the configuration
key | No configuration trusts it. | name it in auth.trustedKeys of the configuration, with its namespaces, if it is a public key whose tokens are to count
policies | Nothing names it. | import it with --authorization-policy-file, --token-auth-file and --authorization-mode ABAC,JWT
trackers | This server sends nothing to trackers. | let a plugin outside do it: it subscribes as before, at the address of this server
launcher | The server has its services and functions within it, and starts no others. | start plugins of your own yourself, with the address of this server as their event bus
descriptor | The server knows its own functions.
unknown | It is no file that is known. | if it has tokens, import it with --token-auth-file; if it has keys and namespaces, with --trustedkeys-auth-file; else leave it out`);
