/** Settings with one value each: those with a key in our configuration, those whose value is fixed here, and unknown ones. */
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, namesOf, numberOf, textOf } from '@tutti/manifests/values';
import { MEND } from './origin.ts';
import type { Setting, Settings } from './settings.ts';

export function importPlainSettings(settings: Settings): void {
  for (const { setting, by } of settings.overridden) {
    setting.unneeded(`${by.key} in ${by.file} wins over it.`);
  }
  for (const setting of settings.matching(({ name }) => /(?:^|_)debug_level$/.test(name))) {
    importLogLevel(setting);
  }
  for (const setting of settings.named('enable_insecure_healthcheck_endpoint')) {
    setting.carry('auth.insecureHealth', booleanOf(setting.value) === true);
  }
  for (const setting of settings.of('arranger', 'download_job_tags')) {
    const tags = namesOf(setting.value);
    if (tags === null) setting.leftOut('It is no list of tags.', 'set calls.tags');
    else setting.carry('calls.tags', tags);
  }
  for (const setting of settings.rest()) tellFixed(setting);
}

const LEVELS: ReadonlyMap<string, string> = new Map([
  ['NOTSET', 'trace'],
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARNING', 'warn'],
  ['ERROR', 'error'],
  ['FATAL', 'fatal'],
]);

function importLogLevel(setting: Setting): void {
  const level = LEVELS.get(textOf(setting.value)?.toUpperCase() ?? '');
  if (setting.service !== null || setting.name !== 'debug_level') {
    const next = 'set logLevel if the log of all is to have it';
    setting.leftOut('One level holds for the whole server.', next);
  } else if (level === undefined) setting.leftOut('It is no level.', 'set logLevel');
  else setting.carry('logLevel', level);
}

/** A setting of existing services that cannot be changed here. */
interface Fixed {
  /** Null for all services. */
  readonly service: string | null;
  readonly names: readonly string[];
  readonly why: string;
  readonly next?: string | undefined;
  /** True for the value that is fixed here; absent where no value would mean anything. */
  readonly isSame?: ((value: unknown) => boolean) | undefined;
}

/** `names` are separated by blanks; the service and a colon come before them, if only that service has them. */
function fixed(names: string, why: string, next?: string, isSame?: Fixed['isSame']): Fixed {
  const [, service = null, rest = names] = /^(\w+): (.*)$/.exec(names) ?? [];
  return { service, names: rest.split(' '), why, next, isSame };
}

const is = (number: number) => (value: unknown) => numberOf(value) === number;
const isTrue = (value: unknown): boolean => booleanOf(value) === true;

const FIXED: readonly Fixed[] = [
  fixed(
    'eventbus services bus_host bus_port bus_token eventbusconfig context eventbus_warmupurl ' +
      'eventbus_warmupdelay healthcheck_delay launchermanifest plugindescriptor servicedescriptor',
    'All services are one process, and need not find each other.',
  ),
  fixed(
    'ssl_context',
    'The server speaks HTTP.',
    'put a proxy in front that has the certificate (docs/operate/reverse-proxy.md)',
    (value) => value === 'disabled',
  ),
  fixed('telemetry debug', 'Nothing is sent anywhere.'),
  fixed('key_size', 'The server makes a key of its own kind.'),
  fixed('base_url', 'Links lead to where the client came from (docs/operate/reverse-proxy.md).'),
  fixed(
    'allure_enabled',
    'The server puts no Allure reports together.',
    'let a step make the report and attach it',
    (value) => booleanOf(value) === false,
  ),
  fixed(
    'curl_ca_bundle',
    'The server knows the authorities of its Node.',
    'name further ones with NODE_EXTRA_CA_CERTS',
  ),
  fixed(
    'http_proxy https_proxy',
    'The server uses no proxy when it fetches keys and files, or calls inboxes.',
    'let it reach those addresses itself',
  ),
  fixed('arranger: max_jobs', 'A workflow may have 1024 jobs.', 'split larger ones', is(1024)),
  fixed(
    'arranger: max_job_steps',
    'A job may have 1024 steps.',
    'split larger ones',
    (value) => (numberOf(value) ?? Infinity) <= 1024,
  ),
  fixed(
    'arranger: default_timeout_minutes',
    'A job without timeout-minutes may take 360 minutes.',
    'write timeout-minutes into the workflows',
    is(360),
  ),
  fixed(
    'arranger: max_parallel',
    'Jobs of a run begin as there are environments for them.',
    'write strategy.max-parallel into the workflows',
  ),
  fixed(
    'arranger: download_job_parents_tags',
    'What fetches a called workflow has the tags of the jobs that call.',
    'give these tags to the agents that fetch',
    isTrue,
  ),
  fixed('arranger: max_workers', 'Runs share one process.'),
  fixed(
    'agentchannel: availability_check_delay availability_check_delay_seconds',
    'A change of a channel is known at once.',
  ),
  fixed(
    'eventbus: max_publication_attempts max_deadletter_threads max_quarantine_attempts ' +
      'max_publication_threads waitress_threads_count',
    'Publications are sent until they are taken, and one slow inbox delays no other (docs/operate/configure.md, Inboxes).',
  ),
  fixed(
    'eventbus: post_timeout_seconds',
    'An inbox has 10 seconds to answer.',
    'let the subscriber answer first, and work then',
    is(10),
  ),
  fixed(
    'workers_max_wait_seconds',
    'Gates and reports wait for test results as long as whoever asks for them does.',
  ),
  fixed(
    'default_scope',
    'What has no scope is about all test cases.',
    'write the scope into each definition',
    isTrue,
  ),
  fixed(
    'interpreter: custom_rules',
    'Reports are told apart by their types, without rules of an operator.',
    'attach reports with the types of docs/guides/results.md',
  ),
];

function tellFixed(setting: Setting): void {
  const { name, value } = setting;
  const found = FIXED.find(
    ({ service, names }) =>
      (service === null || service === setting.service) && names.includes(name),
  );
  if (found === undefined) tellUnknown(setting);
  else if (found.next === undefined || found.isSame?.(value) === true) {
    setting.unneeded(found.why);
  } else setting.leftOut(found.why, found.next);
}

const CARRIED =
  'host port trusted_authorities retention_period_minutes definitions_path max_retention_workflow_count ' +
  'max_retention_period_minutes retention_policy definitions configurations_path configuration channel_hooks ' +
  'download_job_tags authorization_mode authorization_policy_file token_auth_file trustedkeys_auth_file ' +
  'enable_insecure_healthcheck_endpoint enable_insecure_login insecure_bind_address debug_level targets pools';

/** All known settings, for hints about misspelt names, and for the document that describes each of them. */
export const KNOWN_SETTINGS: readonly string[] = [
  ...CARRIED.split(' '),
  ...FIXED.flatMap(({ names }) => names),
];

function tellUnknown(setting: Setting): void {
  if (KNOWN_SETTINGS.includes(setting.name)) {
    const why = 'It means nothing to this service, but to another one.';
    setting.leftOut(why, 'if it was meant, move it to the file of its service');
    return;
  }
  const meant = didYouMean(setting.name, KNOWN_SETTINGS);
  const next =
    meant === '' ? 'see docs/reference/settings.md for what this server can be told' : MEND;
  setting.leftOut(`It is no setting that is known${meant || '.'}`, next);
}
