/** Settings with one value each: those that have a key here, those whose value is fixed here, and all that nobody knows. */
import { didYouMean } from '@tutti/manifests/documents';
import type { ImportPlan } from './import-plan.ts';
import { MEND } from './known-form.ts';
import type { Setting, Settings } from './settings.ts';
import { booleanOf, namesOf, numberOf, textOf } from './values.ts';

const LEVELS: Readonly<Record<string, string>> = {
  NOTSET: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  FATAL: 'fatal',
};

export function importPlainSettings(settings: Settings, plan: ImportPlan): void {
  for (const { setting, by } of settings.overridden) {
    plan.unneeded(setting, `${by.key} in ${by.file} wins over it.`);
  }
  importLogLevel(settings, plan);
  for (const setting of settings.named('enable_insecure_healthcheck_endpoint')) {
    plan.set('auth.insecureHealth', booleanOf(setting.value) === true);
    plan.carried(setting, 'auth.insecureHealth');
  }
  for (const setting of settings.of('arranger', 'download_job_tags')) {
    const tags = namesOf(setting.value);
    if (tags === null) plan.leftOut(setting, 'It is no list of tags.', 'set calls.tags');
    else {
      plan.set('calls.tags', tags);
      plan.carried(setting, 'calls.tags');
    }
  }
  for (const setting of settings.rest()) tellFixed(setting, plan);
}

/** One for all services. */
function importLogLevel(settings: Settings, plan: ImportPlan): void {
  const isOfService = (setting: Setting): boolean =>
    setting.service !== null || setting.name !== 'debug_level';
  const all = settings.matching(({ name }) => /(?:^|_)debug_level$/.test(name));
  for (const setting of all) {
    const level = LEVELS[textOf(setting.value)?.toUpperCase() ?? ''];
    if (isOfService(setting)) {
      plan.leftOut(
        setting,
        'One level holds for the whole server.',
        'set logLevel if the log of all is to have it',
      );
    } else if (level === undefined) {
      plan.leftOut(setting, 'It is no level.', 'set logLevel');
    } else {
      plan.set('logLevel', level);
      plan.carried(setting, 'logLevel');
    }
  }
}

/** What holds here whatever is set. */
interface Fixed {
  /** Null for all services. */
  readonly service: string | null;
  readonly names: readonly string[];
  /** The values that it is here; absent where no value would mean anything. */
  readonly isSame?: (value: unknown) => boolean;
  readonly why: string;
  readonly next?: string;
}

const is =
  (...numbers: readonly number[]) =>
  (value: unknown): boolean =>
    numbers.includes(numberOf(value) ?? Number.NaN);
const atMost =
  (most: number) =>
  (value: unknown): boolean =>
    (numberOf(value) ?? Infinity) <= most;
const isFalse = (value: unknown): boolean => booleanOf(value) === false;
const isTrue = (value: unknown): boolean => booleanOf(value) === true;

const ONE_PROCESS = 'All services are one process, and need not find each other.';

const FIXED: readonly Fixed[] = [
  {
    service: null,
    names: [
      ...['eventbus', 'services', 'bus_host', 'bus_port', 'bus_token', 'eventbusconfig', 'context'],
      ...['eventbus_warmupurl', 'eventbus_warmupdelay', 'healthcheck_delay', 'launchermanifest'],
      ...['plugindescriptor', 'servicedescriptor'],
    ],
    why: ONE_PROCESS,
  },
  {
    service: null,
    names: ['ssl_context'],
    isSame: (value) => value === 'disabled',
    why: 'The server speaks HTTP.',
    next: 'put a proxy in front that has the certificate (docs/reverse-proxy.md)',
  },
  { service: null, names: ['telemetry', 'debug'], why: 'Nothing is sent anywhere.' },
  { service: null, names: ['key_size'], why: 'The server makes a key of its own kind.' },
  {
    service: null,
    names: ['base_url'],
    why: 'Links lead to where the client came from (docs/reverse-proxy.md).',
  },
  {
    service: null,
    names: ['allure_enabled'],
    isSame: isFalse,
    why: 'The server puts no Allure reports together.',
    next: 'let a step make the report and attach it',
  },
  {
    service: null,
    names: ['curl_ca_bundle'],
    why: 'The server knows the authorities of its Node.',
    next: 'name further ones with NODE_EXTRA_CA_CERTS',
  },
  {
    service: null,
    names: ['http_proxy', 'https_proxy'],
    why: 'The server uses no proxy when it fetches keys and files, or calls inboxes.',
    next: 'let it reach those addresses itself',
  },
  {
    service: 'arranger',
    names: ['max_jobs'],
    isSame: is(1024),
    why: 'A workflow may have 1024 jobs.',
    next: 'split larger ones',
  },
  {
    service: 'arranger',
    names: ['max_job_steps'],
    isSame: atMost(1024),
    why: 'A job may have 1024 steps.',
    next: 'split larger ones',
  },
  {
    service: 'arranger',
    names: ['default_timeout_minutes'],
    isSame: is(360),
    why: 'A job without timeout-minutes may take 360 minutes.',
    next: 'write timeout-minutes into the workflows',
  },
  {
    service: 'arranger',
    names: ['max_parallel'],
    why: 'Jobs of a run begin as there are environments for them.',
    next: 'write strategy.max-parallel into the workflows',
  },
  {
    service: 'arranger',
    names: ['download_job_parents_tags'],
    isSame: isTrue,
    why: 'What fetches a called workflow has the tags of the jobs that call.',
    next: 'give these tags to the agents that fetch',
  },
  { service: 'arranger', names: ['max_workers'], why: 'Runs share one process.' },
  {
    service: 'agentchannel',
    names: ['availability_check_delay', 'availability_check_delay_seconds'],
    why: 'A change of a channel is known at once.',
  },
  {
    service: 'eventbus',
    names: [
      ...['max_publication_attempts', 'max_deadletter_threads', 'max_quarantine_attempts'],
      ...['max_publication_threads', 'waitress_threads_count'],
    ],
    why: 'Publications are sent until they are taken, and one slow inbox delays no other (docs/server.md, Inboxes).',
  },
  {
    service: 'eventbus',
    names: ['post_timeout_seconds'],
    isSame: is(10),
    why: 'An inbox has 10 seconds to answer.',
    next: 'let the subscriber answer first, and work then',
  },
  {
    service: null,
    names: ['workers_max_wait_seconds'],
    why: 'Gates and reports wait for test results as long as whoever asks for them does.',
  },
  {
    service: null,
    names: ['default_scope'],
    isSame: (value) => booleanOf(value) === true,
    why: 'What has no scope is about all test cases.',
    next: 'write the scope into each definition',
  },
  {
    service: 'interpreter',
    names: ['custom_rules'],
    why: 'Reports are told apart by their types, without rules of an operator.',
    next: 'attach reports with the types of docs/test-results.md',
  },
];

function tellFixed(setting: Setting, plan: ImportPlan): void {
  const { service, name, value } = setting;
  const fixed = FIXED.find(
    (each) => (each.service === null || each.service === service) && each.names.includes(name),
  );
  if (fixed === undefined) tellUnknown(setting, plan);
  else if (fixed.next === undefined || fixed.isSame?.(value) === true) {
    plan.unneeded(setting, fixed.why);
  } else plan.leftOut(setting, fixed.why, fixed.next);
}

/** For those who mistyped a name, and for the document that says what became of each. */
export const KNOWN_SETTINGS: readonly string[] = [
  ...['host', 'port', 'trusted_authorities', 'retention_period_minutes', 'definitions_path'],
  ...['max_retention_workflow_count', 'max_retention_period_minutes', 'retention_policy'],
  ...['definitions', 'configurations_path', 'configuration', 'channel_hooks', 'download_job_tags'],
  ...[
    'authorization_mode',
    'authorization_policy_file',
    'token_auth_file',
    'trustedkeys_auth_file',
  ],
  ...['enable_insecure_healthcheck_endpoint', 'enable_insecure_login', 'insecure_bind_address'],
  ...['debug_level', 'targets', 'pools'],
  ...FIXED.flatMap(({ names }) => names),
];

function tellUnknown(setting: Setting, plan: ImportPlan): void {
  if (KNOWN_SETTINGS.includes(setting.name)) {
    const why = 'It means nothing to this service, but to another one.';
    plan.leftOut(setting, why, 'if it was meant, move it to the file of its service');
    return;
  }
  const meant = didYouMean(setting.name, KNOWN_SETTINGS);
  plan.leftOut(
    setting,
    `It is no setting that is known${meant || '.'}`,
    meant === '' ? 'see docs/server.md for what this server can be told' : MEND,
  );
}
