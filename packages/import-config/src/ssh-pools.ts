/** Hosts that were reached by SSH: this server has agents instead, so each is told with the command that makes it one. */

import {
  type Entries,
  entriesOf,
  isEntries,
  listOf,
  namesOf,
  textOf,
} from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Origin, Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

const WHY = 'This server has no channels over SSH, and takes no keys or passwords of hosts.';

export function importPools(
  settings: Settings,
  given: readonly SourceDocument[],
  plan: ImportPlan,
): void {
  const targets = settings.of('sshchannel', 'targets');
  const wanted = targets.flatMap(({ value }) => namesOf(value) ?? []);
  for (const setting of targets) plan.unneeded(setting, 'There are no pools to choose from.');
  const ofContexts = settings.of('sshchannel', 'pools');
  const ofFiles = given.map(({ file, value }) => ({ file, value: value.pools }));
  for (const { file, value } of [...ofContexts, ...ofFiles]) {
    for (const [name, hosts] of Object.entries(entriesOf(value))) {
      const origin = { file, key: `pools.${name}` };
      if (wanted.length > 0 && !wanted.includes(name)) {
        plan.unneeded(origin, 'It is none of the targets, so it was not used before.');
      } else tellPool(origin, hosts, plan);
    }
  }
  tellVariables(settings, plan);
}

function tellPool({ file, key }: Origin, hosts: unknown, plan: ImportPlan): void {
  if (!Array.isArray(hosts)) plan.leftOut({ file, key }, 'It is no list of hosts.', MEND);
  for (const [index, entry] of listOf(hosts).filter(isEntries).entries()) {
    for (const host of namesOf(entry.hosts) ?? namesOf(entry.host) ?? ['the host']) {
      plan.leftOut({ file, key: `${key}[${index}]` }, WHY, adviceFor(host, entry));
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
  const textFor = (part: string) =>
    textOf(variables.find(({ name }) => name === `ssh_channel_${part}`)?.value);
  const advice = adviceFor(textFor('host') ?? 'the host', { tags: textFor('tags') });
  for (const setting of variables) plan.leftOut(setting, WHY, advice);
}
