/** Plugins on other machines: the server must be allowed to send them what they subscribe to. */
import { isIP } from 'node:net';
import { entriesOf, textOf } from '@tutti/manifests/values';
import { isLoopback } from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import { SERVICES } from './service-settings.ts';
import type { Setting, Settings } from './settings.ts';

const KEY = 'outgoing.privateNetworks';
const WHY = 'The plugin has its inbox on another machine, which the server asks only if it may.';
/** Where a name may lead, which says nothing of its address. */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
/** Every address of the machine of a plugin, which names it so in its subscription. */
const UNSPECIFIED = ['0.0.0.0', '::'];

/** A plugin names its inbox by `eventbus.hostname`, else by `host`. Services of the orchestrator are one process here. */
export function importPluginInboxes(settings: Settings, plan: ImportPlan): void {
  const networks = new Set<string>();
  for (const setting of settings.matching((each) => elsewhere(each) !== null)) {
    const host = elsewhere(setting) ?? '';
    for (const network of isIP(host) === 0 ? PRIVATE_NETWORKS : [host]) networks.add(network);
    plan.set(KEY, [...networks]);
    plan.changed(setting, KEY, WHY, `leave in ${KEY} only the networks that have plugins`);
  }
}

/** The host of an inbox of a plugin that is not of this machine; null where there is none. */
function elsewhere({ service, name, value }: Setting): string | null {
  const isInbox = name === 'eventbus' || name === 'host';
  if (service === null || SERVICES.includes(service) || !isInbox) return null;
  const host = textOf(name === 'eventbus' ? entriesOf(value).hostname : value);
  return host === null || isLoopback(host) || UNSPECIFIED.includes(host) ? null : host;
}
