/** Files of quality gates, insights and hooks: in the form that existing servers read, and so copied as they are where all of them can be. */
import { basename } from 'node:path';
import { portableYaml } from '@tutti/manifests/documents';
import type { DefinitionFileKind, FileChecks } from '@tutti/server';
import { parse, stringify } from 'yaml';
import { adviceForPath, copyName, type PathFinder, readText } from './found-paths.ts';
import type { ImportPlan, Origin, PlannedPath } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';
import { entriesOf, isEntries, listOf, textOf } from './values.ts';

export interface DefinitionDeps {
  readonly plan: ImportPlan;
  readonly paths: PathFinder;
  readonly checks: FileChecks;
}

interface Definitions {
  readonly kind: DefinitionFileKind;
  /** The key of the files that has them. */
  readonly list: string;
  readonly folder: string;
  /** Of the configuration. */
  readonly to: string;
}

const GATES: Definitions = {
  kind: 'quality gates',
  list: 'qualitygates',
  folder: 'quality-gates',
  to: 'qualityGates.definitions',
};
const INSIGHTS: Definitions = {
  kind: 'insights',
  list: 'insights',
  folder: 'insights',
  to: 'insights.definitions',
};

/** In the order in which existing servers read them: directory, file; then what was given beside. Of a name the last one counts. */
export function importDefinitions(
  settings: Settings,
  given: readonly SourceDocument[],
  deps: DefinitionDeps,
): void {
  const gates = [
    ...settings.of('qualitygate', 'definitions_path'),
    ...settings.of('qualitygate', 'definitions'),
  ];
  importFiles(gates, given, GATES, deps);
  const insights = [
    ...settings.of('insightcollector', 'configurations_path'),
    ...settings.of('insightcollector', 'configuration'),
  ];
  importFiles(insights, given, INSIGHTS, deps);
  if (insights.length === 0 && settings.has('insightcollector')) tellDefaultInsights(given, deps);
}

function tellDefaultInsights(given: readonly SourceDocument[], { plan }: DefinitionDeps): void {
  if (given.some(({ kind }) => kind === 'insights')) return;
  plan.changed(
    { file: 'insightcollector', key: 'configuration' },
    null,
    'Nothing sets it: existing servers made a log and a report of each run then, this one makes none.',
    'name a file of insights in insights.definitions; docs/insights.md begins with these two',
  );
}

function importFiles(
  settings: readonly Setting[],
  given: readonly SourceDocument[],
  definitions: Definitions,
  deps: DefinitionDeps,
): void {
  const copies: PlannedPath[] = [];
  for (const setting of settings) {
    for (const file of namedFiles(setting, deps)) {
      copies.push(...copyFile(setting, file, definitions, deps));
    }
  }
  const beside = given.filter(
    ({ kind, file }) => kind === definitions.kind && !deps.paths.isUsed(file),
  );
  for (const { file } of beside) {
    const origin = { file, key: definitions.list };
    copies.push(...copyFile(origin, file, definitions, deps));
  }
  if (copies.length > 0) deps.plan.set(definitions.to, copies);
}

/** The YAML files of a path; what is not here is told. */
function namedFiles(setting: Setting, { plan, paths }: DefinitionDeps): readonly string[] {
  const path = textOf(setting.value) ?? '';
  const files = paths.files(path, setting.folder);
  if (files === null) {
    plan.leftOut(setting, `There is no ${path} here.`, adviceForPath(path));
    return [];
  }
  const isOne = files.length === 1 && basename(files[0] ?? '') === basename(path);
  return isOne ? files : files.filter((file) => /\.ya?ml$/i.test(file));
}

function copyFile(
  origin: Origin,
  file: string,
  definitions: Definitions,
  { plan, checks }: DefinitionDeps,
): readonly PlannedPath[] {
  const read = readText(file);
  if ('problem' in read) {
    plan.leftOut(origin, `${file} ${read.problem}.`, 'correct the file, or name another one');
    return [];
  }
  const text = usableText(file, read.text, definitions, { plan, checks });
  if (text === null) return [];
  plan.carried(origin, definitions.to);
  return [plan.addFile(`${definitions.folder}/${copyName(file)}`, text)];
}

/** The text, without the entries that a server would refuse, which are told; null when nothing is left. */
function usableText(
  file: string,
  text: string,
  { kind, list }: Definitions,
  { plan, checks }: Pick<DefinitionDeps, 'plan' | 'checks'>,
): string | null {
  const problem = checks.problemOfDefinitions(kind, text);
  if (problem === null) return text;
  const entries = entriesIn(text, list);
  const good = entries.filter((entry, index) => {
    const alone = portableYaml({ stringify }, { [list]: [entry] });
    const why = placeIn(list, index, checks.problemOfDefinitions(kind, alone));
    const name = (isEntries(entry) ? textOf(entry.name) : null) ?? String(index);
    if (why !== null) plan.leftOut({ file, key: `${list}.${name}` }, why, MEND);
    return why === null;
  });
  if (good.length === entries.length) plan.leftOut({ file, key: list }, problem, MEND);
  const isUsable = good.length > 0 && good.length < entries.length;
  return isUsable ? portableYaml({ stringify }, { [list]: good }) : null;
}

/** The entry was looked at alone, so its place is another one, and its line is none of the file. */
function placeIn(list: string, index: number, problem: string | null): string | null {
  const moved = problem?.replaceAll(`${list}[0]`, `${list}[${index}]`) ?? null;
  return moved?.replaceAll(/,? ?\(?line \d+(?:, column \d+)?\)/g, '') ?? null;
}

function entriesIn(text: string, list: string): readonly unknown[] {
  try {
    return listOf(entriesOf(parse(text))[list]);
  } catch {
    // It was told as what is no YAML.
    return [];
  }
}

const CHANNEL_HOOKS = { list: 'hooks', folder: 'hooks', to: 'hooks.channel' } as const;
const PROVIDER_HOOKS = { list: 'hooks', folder: 'hooks', to: 'hooks.providers' } as const;
/** Where the name of an existing plugin is not the prefix of its functions. */
const PREFIXES: ReadonlyMap<string, string> = new Map([['actionprovider', 'actions']]);

export function importHooks(settings: Settings, deps: DefinitionDeps): void {
  for (const setting of settings.of('agentchannel', 'channel_hooks')) {
    const [copy] = copiesOf(setting, { ...CHANNEL_HOOKS, kind: 'channel hooks' }, deps);
    if (copy !== undefined) deps.plan.set('hooks.channel', copy);
  }
  const ofProviders = settings.matching(({ name }) => name.endsWith('_provider_hooks'));
  const providers = ofProviders.flatMap((setting) => {
    const plugin = setting.name.replace(/_provider_hooks$/, '').replaceAll('_', '-');
    const prefix = PREFIXES.get(plugin) ?? plugin;
    const copies = copiesOf(setting, { ...PROVIDER_HOOKS, kind: 'provider hooks' }, deps);
    return copies.map((path) => ({ prefix, path }));
  });
  if (providers.length > 0) deps.plan.set('hooks.providers', providers);
}

function copiesOf(
  setting: Setting,
  definitions: Definitions,
  deps: DefinitionDeps,
): readonly PlannedPath[] {
  const [file] = namedFiles(setting, deps);
  return file === undefined ? [] : copyFile(setting, file, definitions, deps);
}
