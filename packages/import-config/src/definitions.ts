/** Imports files of quality gates, insights and hooks. They have the form of existing servers, so a valid file is copied as it is. */
import { basename, resolve } from 'node:path';
import { portableYaml } from '@tutti/manifests/documents';
import { entriesOf, listOf, textOf } from '@tutti/manifests/values';
import { parse, stringify } from 'yaml';
import type { PlannedPath } from './import-plan.ts';
import { MEND, Place } from './place.ts';
import type { Settings } from './settings.ts';
import { readText } from './source-documents.ts';

/** Kinds of files: the key of their list, the folder of their copies, and the key of the configuration. */
const KINDS = {
  'quality gates': ['qualitygates', 'quality-gates', 'qualityGates.definitions'],
  insights: ['insights', 'insights', 'insights.definitions'],
  'channel hooks': ['hooks', 'hooks', 'hooks.channel'],
  'provider hooks': ['hooks', 'hooks', 'hooks.providers'],
} as const;
type Kind = keyof typeof KINDS;

export function importDefinitions(settings: Settings): void {
  const { plan } = settings;
  const take = (service: string, ...names: readonly string[]) =>
    names.flatMap((name) => settings.take(name, service));
  const insights = take('insightcollector', 'configurations_path', 'configuration');
  importLists(settings, 'quality gates', take('qualitygate', 'definitions_path', 'definitions'));
  importLists(settings, 'insights', insights);
  const hasNone = insights.length === 0 && settings.of('insights').length === 0;
  if (hasNone && settings.services.has('insightcollector')) {
    new Place(plan, { file: 'insightcollector', key: 'configuration' }).carried(
      null,
      'Nothing sets it: existing servers made a log and a report of each run then, this one makes none.',
      'name a file of insights in insights.definitions; "tutti docs guides/reports" begins with these two',
    );
  }
  for (const setting of take('agentchannel', 'channel_hooks')) {
    for (const copy of copiesOf(setting, 'channel hooks')) plan.set('hooks.channel', copy);
  }
  const ofProviders = settings.take(({ name }) => name.endsWith('_provider_hooks'));
  const providers = ofProviders.flatMap((setting) => {
    const plugin = setting.name.replace(/_provider_hooks$/, '').replaceAll('_', '-');
    // The name of the plugin, except one, is the prefix of its functions.
    const prefix = plugin === 'actionprovider' ? 'actions' : plugin;
    return copiesOf(setting, 'provider hooks').map((path) => ({ prefix, path }));
  });
  if (providers.length > 0) plan.set('hooks.providers', providers);
}

/** Keeps the order of existing servers: directory, file, files given to the import. The last definition of a name counts. */
function importLists(
  settings: Settings,
  kind: 'quality gates' | 'insights',
  named: readonly Place[],
): void {
  const [list, , to] = KINDS[kind];
  const copies = named.flatMap((setting) => copiesOf(setting, kind));
  const given = settings.of(kind).filter(({ file }) => !settings.plan.used.has(resolve(file)));
  copies.push(...given.flatMap((root) => copyFile(root.at(list), root.file, kind)));
  if (copies.length > 0) settings.plan.set(to, copies);
}

/** Copies the YAML files of a path, of hooks the first; a missing path is reported. */
function copiesOf(setting: Place, kind: Kind): readonly PlannedPath[] {
  const isNamed = (file: string) => basename(file) === basename(setting.text);
  const files = setting.files().filter((file) => isNamed(file) || /\.ya?ml$/i.test(file));
  const usable = KINDS[kind][0] === 'hooks' ? files.slice(0, 1) : files;
  return usable.flatMap((file) => copyFile(setting, file, kind));
}

/** Copies one file. Returns its path, or none if the file is not usable. */
function copyFile(place: Place, file: string, kind: Kind): readonly PlannedPath[] {
  const [list, folder, to] = KINDS[kind];
  const { text, problem } = readText(file);
  if (problem !== null) {
    return place.report`${file} ${problem}. | correct the file, or name another one`;
  }
  const root = new Place(place.plan, { file, key: '', value: text });
  const usable = usableText(root.at(list, text), kind);
  if (usable === null) return [];
  place.carried(to);
  return [place.plan.addFile(`${folder}/${file}`, usable)];
}

/** The text in a place without the entries that a server would refuse, which are reported. Null when nothing is left. */
function usableText(list: Place, kind: Kind): string | null {
  const problemOf = (text: string) => list.plan.checks.problemOfDefinitions(kind, text);
  const text = String(list.value);
  const problem = problemOf(text);
  if (problem === null) return text;
  const entries = entriesIn(text, list.name);
  const textWith = (some: readonly unknown[]) => portableYaml({ stringify }, { [list.name]: some });
  const good = entries.filter((entry, index) => {
    const alone = problemOf(textWith([entry]));
    if (alone === null) return true;
    // The entry was checked alone, so the place in the message is not its place in the file.
    const why = alone
      .replaceAll(`${list.name}[0]`, `${list.name}[${index}]`)
      .replaceAll(/,? ?\(?line \d+(?:, column \d+)?\)/g, '');
    list.at(textOf(entriesOf(entry).name) ?? String(index)).report`${why} | ${MEND}`;
    return false;
  });
  if (good.length === entries.length) list.report`${problem} | ${MEND}`;
  return good.length > 0 && good.length < entries.length ? textWith(good) : null;
}

function entriesIn(text: string, list: string): readonly unknown[] {
  try {
    return listOf(entriesOf(parse(text))[list]);
  } catch {
    // The file was reported as no YAML.
    return [];
  }
}
