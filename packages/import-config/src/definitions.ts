/** Imports files of quality gates, insights and hooks. They have the form of existing servers, so a valid file is copied as it is. */
import { basename } from 'node:path';
import { portableYaml } from '@tutti/manifests/documents';
import { entriesOf, listOf, textOf } from '@tutti/manifests/values';
import type { DefinitionFileKind } from '@tutti/server';
import { parse, stringify } from 'yaml';
import { copyName, readText } from './found-paths.ts';
import type { ImportPlan, PlannedPath } from './import-plan.ts';
import { MEND, Origin } from './origin.ts';
import type { Setting, Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

interface Definitions {
  readonly kind: DefinitionFileKind;
  /** Key of the list in the files. */
  readonly list: string;
  readonly folder: string;
  /** Key of the configuration. */
  readonly to: string;
}

const HOOKS = { list: 'hooks', folder: 'hooks' };
const GATES = { list: 'qualitygates', folder: 'quality-gates', to: 'qualityGates.definitions' };
const INSIGHTS = { list: 'insights', folder: 'insights', to: 'insights.definitions' };

type Given = readonly SourceDocument[];

/** Keeps the order of existing servers: directory, file, files given to the import. The last definition of a name counts. */
export function importDefinitions(settings: Settings, given: Given, plan: ImportPlan): void {
  const of = (service: string, ...names: readonly string[]) =>
    names.flatMap((name) => settings.of(service, name));
  importFiles(
    of('qualitygate', 'definitions_path', 'definitions'),
    given,
    { kind: 'quality gates', ...GATES },
    plan,
  );
  const insights = of('insightcollector', 'configurations_path', 'configuration');
  importFiles(insights, given, { kind: 'insights', ...INSIGHTS }, plan);
  const hasNone = insights.length === 0 && given.every(({ kind }) => kind !== 'insights');
  if (!hasNone || !settings.has('insightcollector')) return;
  new Origin(plan, 'insightcollector', 'configuration').changed(
    null,
    'Nothing sets it: existing servers made a log and a report of each run then, this one makes none.',
    'name a file of insights in insights.definitions; docs/guides/reports.md begins with these two',
  );
}

function importFiles(
  settings: readonly Setting[],
  given: Given,
  definitions: Definitions,
  plan: ImportPlan,
): void {
  const named = settings.flatMap((setting) =>
    namedFiles(setting).flatMap((file) => copyFile(setting, file, definitions)),
  );
  const beside = given
    .filter(({ kind, file }) => kind === definitions.kind && !plan.paths.isUsed(file))
    .flatMap(({ file }) => copyFile(new Origin(plan, file, definitions.list), file, definitions));
  const copies = [...named, ...beside];
  if (copies.length > 0) plan.set(definitions.to, copies);
}

/** The YAML files of a path; a missing path is reported. */
function namedFiles(setting: Setting): readonly string[] {
  const files = setting.files(setting.text);
  const isOne = files.length === 1 && basename(files[0] ?? '') === basename(setting.text);
  return isOne ? files : files.filter((file) => /\.ya?ml$/i.test(file));
}

/** Copies one file. Returns its path, or none if the file is not usable. */
function copyFile(origin: Origin, file: string, definitions: Definitions): readonly PlannedPath[] {
  const read = readText(file);
  if ('problem' in read) {
    origin.leftOut(`${file} ${read.problem}.`, 'correct the file, or name another one');
    return [];
  }
  const text = usableText(new Origin(origin.plan, file, ''), read.text, definitions);
  if (text === null) return [];
  origin.carried(definitions.to);
  return [origin.plan.addFile(`${definitions.folder}/${copyName(file)}`, text)];
}

/** The text without the entries that a server would refuse, which are reported; null when nothing is left. */
function usableText(origin: Origin, text: string, { kind, list }: Definitions): string | null {
  const { checks } = origin.plan;
  const problem = checks.problemOfDefinitions(kind, text);
  if (problem === null) return text;
  const entries = entriesIn(text, list);
  const textOfEntries = (some: readonly unknown[]) => portableYaml({ stringify }, { [list]: some });
  const good = entries.filter((entry, index) => {
    const alone = checks.problemOfDefinitions(kind, textOfEntries([entry]));
    if (alone === null) return true;
    // The entry was checked alone, so the place in the message is not its place in the file.
    const why = alone
      .replaceAll(`${list}[0]`, `${list}[${index}]`)
      .replaceAll(/,? ?\(?line \d+(?:, column \d+)?\)/g, '');
    const name = textOf(entriesOf(entry).name) ?? String(index);
    origin.at(list).at(name).leftOut(why, MEND);
    return false;
  });
  if (good.length === entries.length) origin.at(list).leftOut(problem, MEND);
  const isUsable = good.length > 0 && good.length < entries.length;
  return isUsable ? textOfEntries(good) : null;
}

function entriesIn(text: string, list: string): readonly unknown[] {
  try {
    return listOf(entriesOf(parse(text))[list]);
  } catch {
    // The file was reported as no YAML.
    return [];
  }
}

/** Plugins whose name is not the prefix of their functions. */
const PREFIXES: ReadonlyMap<string, string> = new Map([['actionprovider', 'actions']]);

export function importHooks(settings: Settings, plan: ImportPlan): void {
  const copiesOf = (setting: Setting, definitions: Definitions) =>
    namedFiles(setting)
      .slice(0, 1)
      .flatMap((file) => copyFile(setting, file, definitions));
  for (const setting of settings.of('agentchannel', 'channel_hooks')) {
    for (const copy of copiesOf(setting, { kind: 'channel hooks', to: 'hooks.channel', ...HOOKS }))
      plan.set('hooks.channel', copy);
  }
  const ofProviders = settings.matching(({ name }) => name.endsWith('_provider_hooks'));
  const providers = ofProviders.flatMap((setting) => {
    const plugin = setting.name.replace(/_provider_hooks$/, '').replaceAll('_', '-');
    const prefix = PREFIXES.get(plugin) ?? plugin;
    return copiesOf(setting, { kind: 'provider hooks', to: 'hooks.providers', ...HOOKS }).map(
      (path) => ({ prefix, path }),
    );
  });
  if (providers.length > 0) plan.set('hooks.providers', providers);
}
