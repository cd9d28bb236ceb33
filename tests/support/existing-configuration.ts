/** The files of an existing installation, as its services and clients have them. They have keys, tokens, and one setting of every kind. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from './free-port.ts';
import { signedToken } from './tokens.ts';

export interface ExistingConfiguration {
  /** Has `conf`, `etc`, `client` and `variables.env`. */
  readonly folder: string;
  /** Ports of the services, by their names. */
  readonly ports: Readonly<Record<string, number>>;
  /** Keys of the authorities, by their names. */
  readonly keys: Readonly<Record<'team' | 'everybody' | 'plain', KeyObject>>;
  /** Secrets that no output may contain. */
  readonly secrets: readonly string[];
}

const SECRETS = ['al1ce-s3cret', 'b0b-s3cret', 'bus-s3cret', 'host-s3cret'];
/** Path in the image of the directory `etc` here. */
export const INSIDE = '/etc/squashtf';

const SERVICES = [
  ...['receptionist', 'observer', 'killswitch', 'eventbus', 'agentchannel', 'qualitygate'],
  ...['localstore', 'insightcollector', 'arranger'],
] as const;

function serviceConfig(port: number, options: object = {}): object {
  return {
    apiVersion: 'opentestfactory.org/v1beta2',
    kind: 'ServiceConfig',
    'current-context': 'allinone',
    contexts: [
      { name: 'default', context: { host: '127.0.0.1', port: 443 } },
      {
        name: 'allinone',
        context: {
          host: '127.0.0.1',
          port,
          ssl_context: 'disabled',
          trusted_authorities: [`${INSIDE}/keys/*`],
          eventbus: { endpoint: 'http://127.0.0.1:38368', token: 'bus-s3cret' },
          ...options,
        },
      },
    ],
  };
}

const OPTIONS: Readonly<Record<string, object>> = {
  observer: { retention_period_minutes: 1440, max_retention_workflow_count: 500 },
  arranger: { max_jobs: 1024, download_job_tags: 'linux,git', max_workers: 4, max_jobz: 1 },
  eventbus: { max_publication_attempts: 2 },
};

const SSH = {
  apiVersion: 'opentestfactory.org/v1alpha2',
  kind: 'SSHServiceConfig',
  'current-context': 'allinone',
  contexts: [{ name: 'allinone', context: { targets: ['linuxes'] } }],
  pools: {
    linuxes: [
      {
        ...{ host: 'robot.example.com', port: 22, username: 'robot', password: 'host-s3cret' },
        ...{ tags: ['linux', 'robotframework'], namespaces: 'team-a' },
      },
    ],
    unused: [{ host: 'old.example.com', username: 'robot', password: 'host-s3cret', tags: [] }],
  },
};

const policy = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.opentestfactory.org/v1alpha1', kind: 'Policy', spec });

const ACCESS = {
  'trustedkeys.csv': [
    '# key,name,groups,namespaces',
    `${INSIDE}/keys/team.pub,team,"testers","team-a,team-b"`,
    `${INSIDE}/keys/everybody.pub,everybody,,"*"`,
    `${INSIDE}/keys/gone.pub,gone,,"*"`,
  ],
  'tokens.csv': ['# token,user,uid,groups', 'al1ce-s3cret,Alice,alice,"testers"', 'b0b-s3cret'],
  'policies.jsonl': [
    policy({ group: 'testers', namespace: 'team-a', resource: 'workflows', readonly: true }),
    policy({ user: 'alice', namespace: '*', resource: 'insights' }),
  ],
};

const GATES = {
  qualitygates: [
    {
      name: 'release',
      rules: [{ name: 'all', rule: { scope: 'true', threshold: '100%' } }],
    },
    { name: 'strict', rules: [{ rule: { scope: 'true', threshold: '90%' } }] },
  ],
};

const INSIGHTS = {
  insights: [{ name: 'fulllog', kind: 'ExecutionLog', spec: { 'step-depth': 0 } }],
};

const RETENTION = {
  retentionPolicy: [
    { name: 'nightly', scope: "metadata.name == 'nightly'", retentionPeriod: '2d' },
    { name: 'releases', scope: "metadata.name == 'release'", retentionPeriod: 'forever' },
  ],
};

const HOOKS = {
  hooks: [
    {
      name: 'told',
      events: [{ channel: 'setup' }],
      before: [{ run: 'echo told by the operator' }],
    },
  ],
};

const VARIABLES = [
  '# docker run --env-file',
  `OPENTF_AUTHORIZATION_MODE=ABAC,JWT`,
  `OPENTF_TRUSTEDKEYS_AUTH_FILE=${INSIDE}/trustedkeys.csv`,
  `OPENTF_TOKEN_AUTH_FILE=${INSIDE}/tokens.csv`,
  `OPENTF_AUTHORIZATION_POLICY_FILE=${INSIDE}/policies.jsonl`,
  `QUALITYGATE_DEFINITIONS="${INSIDE}/gates.yaml"`,
  `INSIGHTCOLLECTOR_CONFIGURATION=${INSIDE}/insights.yaml`,
  `OBSERVER_RETENTION_POLICY=${INSIDE}/retention.yaml`,
  `AGENTCHANNEL_CHANNEL_HOOKS=${INSIDE}/hooks.yaml`,
  'OBSERVER_RETENTION_PERIOD_MINUTES=720',
  'DEBUG_LEVEL=WARNING',
  'OPENTF_TRUSTEDKEYS_AUT_FILE=typing-mistake.csv',
  'JAVA_HOME=/opt/java',
  '',
];

const clientConfig = (ports: ExistingConfiguration['ports'], token: string): object => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'CtlConfig',
  'current-context': 'default',
  contexts: [
    {
      name: 'default',
      context: { orchestrator: 'default', user: 'default', namespace: 'team-a' },
    },
    { name: 'broken', context: { orchestrator: 'defualt', user: 'default' } },
  ],
  orchestrators: [
    {
      name: 'default',
      orchestrator: {
        server: 'http://127.0.0.1',
        'insecure-skip-tls-verify': true,
        'polling-delay': 5,
        services: {
          receptionist: { port: ports.receptionist, prefix: 'receptionist' },
          observer: { port: ports.observer, 'force-base-url': true },
        },
      },
    },
  ],
  users: [{ name: 'default', user: { token, 'step-depth': 2 } }],
});

type KeyName = keyof ExistingConfiguration['keys'];

/** A token as existing tools make it: by RS512, with an issuer and a subject. */
export function existingToken(key: KeyObject, subject: string): string {
  const claims = { iss: 'squash orchestrator', sub: subject };
  return signedToken(key, { header: { alg: 'RS512' }, claims });
}

/** Writes the whole configuration below a folder. */
export async function writeExistingConfiguration(folder: string): Promise<ExistingConfiguration> {
  const write = async (path: string, content: object | string) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : stringify(content));
  };
  const ports: Record<string, number> = {};
  for (const name of SERVICES) {
    const port = await freePort();
    ports[name] = port;
    await write(`conf/${name}.yaml`, serviceConfig(port, OPTIONS[name]));
  }
  await write('conf/sshchannel.yaml', SSH);
  for (const [name, lines] of Object.entries(ACCESS)) await write(`etc/${name}`, lines.join('\n'));
  await write('etc/gates.yaml', GATES);
  await write('etc/insights.yaml', INSIGHTS);
  await write('etc/retention.yaml', RETENTION);
  await write('etc/hooks.yaml', HOOKS);
  await write('variables.env', VARIABLES.join('\n'));
  const authority = async (name: KeyName): Promise<KeyObject> => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await write(`etc/keys/${name}.pub`, text);
    return pair.privateKey;
  };
  const keys = {
    team: await authority('team'),
    everybody: await authority('everybody'),
    plain: await authority('plain'),
  };
  const token = existingToken(keys.team, 'client');
  await write('client/config', clientConfig(ports, token));
  return { folder, ports, keys, secrets: [...SECRETS, token] };
}
