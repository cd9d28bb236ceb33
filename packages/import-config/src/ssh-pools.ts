/** Hosts that were reached by SSH. This server has agents instead, so the report has a command for each host that starts an agent there. */
import { type Entries, isEntries, listOf, namesOf } from '@tutti/manifests/values';
import { MEND, type Place } from './place.ts';
import type { Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

const WHY = 'This server has no channels over SSH, and takes no keys or passwords of hosts.';

/** `documents` may have pools, as contexts may. */
export function importPools(settings: Settings, documents: readonly SourceDocument[]): void {
  const targets = settings.take('targets', 'sshchannel');
  const wanted = targets.flatMap(({ value }) => namesOf(value) ?? []);
  for (const setting of targets) setting.report`There are no pools to choose from.`;
  const ofFiles = documents.map((each) => settings.root(each).at('pools'));
  for (const pool of [...settings.take('pools', 'sshchannel'), ...ofFiles].flatMap(
    ({ children }) => children,
  )) {
    if (wanted.length === 0 || wanted.includes(pool.name)) reportPool(pool);
    else pool.report`It is none of the targets, so it was not used before.`;
  }
  // Variables describe a single host.
  const variables = settings.take(({ name }) => name.startsWith('ssh_channel_'));
  const host = Object.fromEntries(
    variables.toReversed().map(({ name, text }) => [name.slice('ssh_channel_'.length), text]),
  );
  for (const setting of variables) setting.leftOut(WHY, adviceFor(host.host || 'the host', host));
}

function reportPool(pool: Place): void {
  if (!Array.isArray(pool.value)) pool.report`It is no list of hosts. | ${MEND}`;
  for (const [index, entry] of listOf(pool.value).filter(isEntries).entries()) {
    for (const host of namesOf(entry.hosts) ?? namesOf(entry.host) ?? ['the host']) {
      pool.at(index).leftOut(WHY, adviceFor(host, entry));
    }
  }
}

function adviceFor(host: string, entry: Entries): string {
  const tags = namesOf(entry.tags)?.join(',') ?? 'linux';
  const namespaces = namesOf(entry.namespaces)?.join(',');
  const inNamespaces = namespaces === undefined ? '' : ` --namespaces '${namespaces}'`;
  return `start an agent on ${host}: "tutti agent --server URL --token-file FILE --tags ${tags}${inNamespaces}"`;
}
