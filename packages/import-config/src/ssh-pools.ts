/** Hosts that were reached by SSH. This server has agents instead, so the report has a command for each host that starts an agent there. */
import {
  type Entries,
  entriesOf,
  isEntries,
  listOf,
  namesOf,
  textOf,
} from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { MEND, Origin } from './origin.ts';
import type { Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

const WHY = 'This server has no channels over SSH, and takes no keys or passwords of hosts.';

type Given = readonly SourceDocument[];

export function importPools(settings: Settings, given: Given, plan: ImportPlan): void {
  const targets = settings.of('sshchannel', 'targets');
  const wanted = targets.flatMap(({ value }) => namesOf(value) ?? []);
  for (const setting of targets) setting.unneeded('There are no pools to choose from.');
  const ofContexts = settings.of('sshchannel', 'pools');
  const ofFiles = given.map(({ file, value }) => ({ file, value: value.pools }));
  for (const { file, value } of [...ofContexts, ...ofFiles]) {
    for (const [name, hosts] of Object.entries(entriesOf(value))) {
      const origin = new Origin(plan, file, 'pools').at(name);
      if (wanted.length === 0 || wanted.includes(name)) tellPool(origin, hosts);
      else origin.unneeded('It is none of the targets, so it was not used before.');
    }
  }
  tellVariables(settings);
}

function tellPool(origin: Origin, hosts: unknown): void {
  if (!Array.isArray(hosts)) origin.leftOut('It is no list of hosts.', MEND);
  for (const [index, entry] of listOf(hosts).filter(isEntries).entries()) {
    for (const host of namesOf(entry.hosts) ?? namesOf(entry.host) ?? ['the host']) {
      origin.at(index).leftOut(WHY, adviceFor(host, entry));
    }
  }
}

function adviceFor(host: string, entry: Entries): string {
  const tags = namesOf(entry.tags)?.join(',') ?? 'linux';
  const namespaces = namesOf(entry.namespaces)?.join(',');
  const inNamespaces = namespaces === undefined ? '' : ` --namespaces '${namespaces}'`;
  return `start an agent on ${host}: "tutti agent --server URL --token-file FILE --tags ${tags}${inNamespaces}"`;
}

/** Reports the host that variables describe. */
function tellVariables(settings: Settings): void {
  const variables = settings.matching(({ name }) => name.startsWith('ssh_channel_'));
  const textFor = (part: string) =>
    textOf(variables.find(({ name }) => name === `ssh_channel_${part}`)?.value);
  const advice = adviceFor(textFor('host') ?? 'the host', { tags: textFor('tags') });
  for (const setting of variables) setting.leftOut(WHY, advice);
}
