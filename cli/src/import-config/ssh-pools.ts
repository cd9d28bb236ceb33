/** Hosts that were reached by SSH: this server has agents instead, so each is told with the command that makes it one. */
import type { ImportPlan, Origin } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';
import { type Entries, entriesOf, isEntries, listOf, namesOf, textOf } from './values.ts';

const WHY = 'This server has no channels over SSH, and takes no keys or passwords of hosts.';

export function importPools(
  settings: Settings,
  given: readonly SourceDocument[],
  plan: ImportPlan,
): void {
  const targets = settings.of('sshchannel', 'targets');
  const wanted = targets.flatMap(({ value }) => namesOf(value) ?? []);
  for (const setting of targets) plan.unneeded(setting, 'There are no pools to choose from.');
  const ofContexts = settings.of('sshchannel', 'pools').map((setting) => ({
    file: setting.file,
    pools: entriesOf(setting.value),
  }));
  const ofFiles = withoutRepeated(given).flatMap(({ file, value }) =>
    'pools' in value ? [{ file, pools: entriesOf(value.pools) }] : [],
  );
  for (const { file, pools } of [...ofContexts, ...ofFiles]) {
    for (const [name, hosts] of Object.entries(pools)) {
      const origin = { file, key: `pools.${name}` };
      if (wanted.length > 0 && !wanted.includes(name)) {
        plan.unneeded(origin, 'It is none of the targets, so it was not used before.');
      } else tellPool(origin, hosts, plan);
    }
  }
  tellVariables(settings, plan);
}

/** A file may be named by a setting, and given as well. */
const withoutRepeated = (documents: readonly SourceDocument[]): readonly SourceDocument[] => [
  ...new Map(documents.map((document) => [document.text, document])).values(),
];

function tellPool(origin: Origin, hosts: unknown, plan: ImportPlan): void {
  if (!Array.isArray(hosts)) plan.leftOut(origin, 'It is no list of hosts.', MEND);
  for (const [index, entry] of listOf(hosts).filter(isEntries).entries()) {
    const names = namesOf(entry.hosts) ?? namesOf(entry.host) ?? [];
    for (const host of names.length > 0 ? names : ['the host']) {
      const key = `${origin.key}[${index}]`;
      plan.leftOut({ file: origin.file, key }, WHY, adviceFor(host, entry));
    }
  }
}

function adviceFor(host: string, entry: Entries): string {
  const tags = namesOf(entry.tags)?.join(',') ?? 'linux';
  const namespaces = namesOf(entry.namespaces)?.join(',');
  const inNamespaces = namespaces === undefined ? '' : ` --namespaces '${namespaces}'`;
  return `start an agent on ${host}: "tutti agent --server URL --token-file FILE --tags ${tags}${inNamespaces}"`;
}

/** The host that variables describe. */
function tellVariables(settings: Settings, plan: ImportPlan): void {
  const variables = settings.matching(({ name }) => name.startsWith('ssh_channel_'));
  const textFor = (name: string): string | null => {
    const found: Setting | undefined = variables.find((each) => each.name === name);
    return textOf(found?.value);
  };
  const host = textFor('ssh_channel_host') ?? 'the host';
  for (const setting of variables) {
    const advice = adviceFor(host, { tags: textFor('ssh_channel_tags') ?? undefined });
    plan.leftOut(setting, WHY, advice);
  }
}
