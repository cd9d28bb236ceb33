/** Settings that stand alone: those with a key here, those whose value is fixed here, and unknown ones. */
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, namesOf, numberOf } from '@tutti/manifests/values';
import { MEND, type Place, rowsOf } from './place.ts';
import type { Settings } from './settings.ts';

const LEVELS = ['notset', 'debug', 'info', 'warning', 'error', 'fatal'];
const OUR_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** Takes all settings that no other part took. */
export function importPlainSettings(settings: Settings): void {
  for (const setting of settings.take(({ name }) => /(?:^|_)debug_level$/.test(name))) {
    const level = OUR_LEVELS[LEVELS.indexOf(setting.text.toLowerCase())];
    if (setting.service !== null || setting.name !== 'debug_level') {
      setting.report`One level holds for the whole server. | set logLevel if the log of all is to have it`;
    } else if (level === undefined) setting.report`It is no level. | set logLevel`;
    else setting.carry('logLevel', level);
  }
  for (const setting of settings.take('enable_insecure_healthcheck_endpoint')) {
    setting.carry('auth.insecureHealth', booleanOf(setting.value) === true);
  }
  for (const setting of settings.take('download_job_tags', 'arranger')) {
    const tags = namesOf(setting.value);
    if (tags === null) setting.report`It is no list of tags. | set calls.tags`;
    else setting.carry('calls.tags', tags);
  }
  for (const setting of settings.take(() => true)) reportFixed(setting);
}

/**
 * Settings with a fixed value here. A row has the service (if only one has the setting), the names, the reason, and advice for other
 * values.
 */
const FIXED = rowsOf(`
eventbus services bus_host bus_port bus_token eventbusconfig context eventbus_warmupurl | All services are one process, and need not find each other.
eventbus_warmupdelay healthcheck_delay launchermanifest plugindescriptor servicedescriptor | All services are one process, and need not find each other.
ssl_context | The server speaks HTTP. | put a proxy in front that has the certificate (tutti docs operate/reverse-proxy) | disabled
telemetry debug | Nothing is sent anywhere.
key_size | The server makes a key of its own kind.
base_url | Links lead to where the client came from (tutti docs operate/reverse-proxy).
allure_enabled | The server puts no Allure reports together. | let a step make the report and attach it | false
curl_ca_bundle | The server knows the authorities of its Node. | name further ones with NODE_EXTRA_CA_CERTS
http_proxy https_proxy | The server uses no proxy when it fetches keys and files, or calls inboxes. | let it reach those addresses itself
arranger: max_jobs | A workflow may have 1024 jobs. | split larger ones | 1024
arranger: max_job_steps | A job may have 1024 steps. | split larger ones | <1025
arranger: default_timeout_minutes | A job without timeout-minutes may take 360 minutes. | write timeout-minutes into the workflows | 360
arranger: max_parallel | Jobs of a run begin as there are environments for them. | write strategy.max-parallel into the workflows
arranger: download_job_parents_tags | What fetches a called workflow has the tags of the jobs that call. | give these tags to the agents that fetch | true
arranger: max_workers | Runs share one process.
agentchannel: availability_check_delay availability_check_delay_seconds | A change of a channel is known at once.
eventbus: max_publication_attempts max_deadletter_threads max_quarantine_attempts | Publications are sent until they are taken, and one slow inbox delays no other (tutti docs operate/configure, Inboxes).
eventbus: max_publication_threads waitress_threads_count | Publications are sent until they are taken, and one slow inbox delays no other (tutti docs operate/configure, Inboxes).
eventbus: post_timeout_seconds | An inbox has 10 seconds to answer. | let the subscriber answer first, and work then | 10
observer: max_retention_period_minutes | It bounded several times; here there is one, retention.minutes.
workers_max_wait_seconds | Gates and reports wait for test results as long as whoever asks for them does.
default_scope | What has no scope is about all test cases. | write the scope into each definition | true
interpreter: custom_rules | The type of a report decides how it is read; an operator has no rules for it. | attach reports with the types of "tutti docs guides/results"`);

const ROWS = FIXED.map(([names = '', why = '', next, same]) => {
  const [, service, own = names] = /^(\w+): (.*)$/.exec(names) ?? [];
  return { service, names: own.split(' '), why, next, same };
});

const CARRIED =
  'host port trusted_authorities retention_period_minutes definitions_path max_retention_workflow_count ' +
  'retention_policy definitions configurations_path configuration channel_hooks download_job_tags ' +
  'authorization_mode authorization_policy_file token_auth_file trustedkeys_auth_file ' +
  'enable_insecure_healthcheck_endpoint enable_insecure_login insecure_bind_address debug_level targets pools';

/** All known settings, for hints about misspelt names, and for the document that describes each of them. */
export const KNOWN_SETTINGS: readonly string[] = [
  ...CARRIED.split(' '),
  ...ROWS.flatMap(({ names }) => names),
];

function reportFixed(setting: Place): void {
  const { name, value, service } = setting;
  const row = ROWS.find(
    (each) => each.names.includes(name) && (each.service ?? service) === service,
  );
  const meant = didYouMean(name, KNOWN_SETTINGS);
  const next = meant ? MEND : 'see "tutti docs reference/settings" for all settings of this server';
  if (row !== undefined) setting.leftOut(row.why, isSame(value, row.same) ? null : row.next);
  else if (KNOWN_SETTINGS.includes(name)) {
    setting.report`It means nothing to this service, but to another one. | if it was meant, move it to the file of its service`;
  } else setting.report`It is no setting that is known${meant || '.'} | ${next}`;
}

function isSame(value: unknown, same: string | undefined): boolean {
  if (same === '<1025') return (numberOf(value) ?? Infinity) < 1025;
  return [value, numberOf(value), booleanOf(value)].some((each) => String(each) === same);
}
