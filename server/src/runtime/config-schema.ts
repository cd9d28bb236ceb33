/** The configuration of the server, as one JSON Schema: its keys, defaults and documentation. */
import { DEFAULT_API_GROUP, NAMESPACE_NAME } from '@tutti/manifests';
import type { ConfigNode } from './config-check.ts';
import {
  duration,
  entries,
  flag,
  integer,
  like,
  listOf,
  positive,
  section,
  text,
  type ValueOf,
} from './config-nodes.ts';
import { limitsSchema } from './limits-schema.ts';
import { LOG_LEVELS } from './logger.ts';
import { clusterSchema, outgoingSchema, tlsSchema } from './network-schema.ts';
import { SERVICE_NAMES } from './service-addresses.ts';

const NAMESPACE = NAMESPACE_NAME.slice(1, -1);

const namespaces = like(`^(\\*|${NAMESPACE}(\\s*,\\s*${NAMESPACE})*)$`, ['*', 'team-a, team-b'], {
  default: '*',
  description: 'What its tokens may reach: * or names separated by commas.',
});

const paths = (description: string) => listOf(text({}), description);

const services = entries(
  {
    name: { type: 'string', enum: SERVICE_NAMES, description: 'Name of the service.' },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65535,
      description: 'Its port, where servicePorts is true.',
    },
    prefix: like('^(/[a-zA-Z0-9._~-]+)+$', ['/observer'], {
      description: 'Path under which the interface is reached, besides its own.',
    }),
  },
  ['name'],
  'Ports and path prefixes of services, where they are not the usual ones.',
);

const auth = section({
  trustedKeys: entries(
    { path: text({ description: 'Public key (PEM), or a directory of them.' }), namespaces },
    ['path'],
    "Keys whose tokens are accepted, besides the data directory's own.",
  ),
  keySets: entries(
    {
      url: like('^https?://', ['https://login.example.com/.well-known/jwks.json'], {
        description: 'Address of a JSON Web Key Set: https, or http of this machine.',
      }),
      namespaces,
    },
    ['url'],
    'Addresses where authorities publish keys whose tokens are accepted.',
  ),
  tokenFile: text({
    description: 'Tokens that are no JWT, with their users. Needs auth.policyFile.',
  }),
  policyFile: text({ description: 'What the users of auth.tokenFile may do.' }),
  insecureLogin: flag(
    'Whether programs of this machine need no token: they may do everything. Needs a host that no other machine reaches.',
  ),
  insecureHealth: flag('Whether GET /health answers without a token.'),
  insecureDocs: flag(
    'Whether GET /docs/, GET /openapi.html and GET /schemas/{name}.json answer without a token, for browsers and editors.',
  ),
  insecureMetrics: flag('Whether GET /metrics answers without a token.'),
});

const agents = section({
  livenessSeconds: positive(
    300,
    'Silence after which an agent is unreachable, unless it says otherwise.',
  ),
  synchronousLivenessSeconds: positive(
    3600,
    'The same for an existing agent that runs a command in synchronous mode, or whose requests do not show whether it runs one. Longer than any step.',
  ),
  disconnectGraceSeconds: duration(
    10,
    'Time an agent has to connect again before it is unreachable and gets no new job.',
  ),
  absenceSeconds: duration(
    // Two minutes without network, and a minute until a request that was sent meanwhile fails and is sent again.
    180,
    'Time that one of our own agents may be away before its step is given up; agents.disconnectGraceSeconds at least.',
  ),
});

const tracing = section({
  endpoint: like('^https?://[^/]', ['http://collector.example.com:4318'], {
    description:
      'Collector that gets a trace of each run (OTLP over HTTP). Without a path, /v1/traces is meant.',
  }),
  headers: like('^[^=,\\s]+=[^,]*(,\\s*[^=,\\s]+=[^,]*)*$', ['x-api-key=abc'], {
    description: 'Headers of requests to it: name=value, separated by commas.',
  }),
  serviceName: text({
    description: 'What the server is called in traces; else OTEL_SERVICE_NAME, or tutti.',
  }),
});

const retention = section({
  minutes: positive(10080, 'How long a finished run is kept.'),
  runs: integer(1, 10000, 'How many finished runs are kept at most; the oldest leave first.'),
  historyMinutes: duration(
    129600,
    'How long outcomes and times of test cases are kept, from the beginning of their run, if that is gone before.',
  ),
});

const testHistory = section({
  days: positive(90, 'How long executions of tests are kept, from the beginning of their run.'),
  runs: integer(
    1,
    500,
    'How many runs of one workflow name keep their executions of tests at most.',
  ),
  executions: integer(
    1,
    20_000_000,
    'How many executions of tests are kept at most; those of the oldest runs leave first.',
  ),
  mainBranches: {
    ...listOf(
      text({}),
      'Branches whose runs count for the states of tests, with runs of no known branch.',
    ),
    default: ['main', 'master', 'trunk', 'develop'],
  },
});

const quarantine = section({
  gates: {
    type: 'string',
    enum: ['respect', 'count'],
    default: 'respect',
    description:
      'Whether gates respect quarantine: failures of tests in quarantine do not count. With count, they do.',
  },
  days: positive(14, 'How long a quarantine lasts if nobody says it; quarantine.daysMax at most.'),
  daysMax: positive(60, 'The longest quarantine.'),
  share: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.02,
    description:
      'The part of the tests of a project that may be in quarantine; one test always may.',
  },
});

const properties = {
  host: text({ default: '127.0.0.1', description: 'Address to listen on.' }),
  port: {
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 7774,
    description: 'Port to listen on; 0 takes a free one.',
  },
  servicePorts: flag(
    'Whether to listen on the eight ports that existing clients take for services, too; each has the whole interface.',
  ),
  services,
  pendingAsRunning: flag(
    'Whether PENDING workflows are shown as RUNNING, for clients of 2021 and 2022.',
  ),
  tls: tlsSchema,
  dataDir: text({
    default: './.tutti',
    description: 'Directory of the store, the files and the keys.',
  }),
  store: text({
    description:
      'PostgreSQL database for runs, in place of dataDir: postgres://USER@HOST/DATABASE. Its password comes from PGPASSWORD or from the file that PGPASSFILE names.',
  }),
  blobs: text({
    description:
      'Bucket for the files of runs, in place of dataDir: s3://BUCKET/PREFIX, with ?endpoint=URL for other services than Amazon S3. Credentials come from the environment, from files or from a role of the machine.',
  }),
  cluster: clusterSchema,
  apiGroup: like('^[a-z0-9.-]+$', ['example.com'], {
    default: DEFAULT_API_GROUP,
    description: 'Domain that prefixes apiVersion values and label keys.',
  }),
  pluginFiles: text({
    description:
      'The directory that plugins have as /tmp. The server reads attachments of their events there, and writes files for their steps.',
  }),
  logLevel: {
    type: 'string',
    enum: LOG_LEVELS,
    default: 'info',
    description: 'Least severe level that is logged.',
  },
  auth,
  cors: section({
    origins: listOf(
      like('^(\\*|https?://[^/]+)$', ['*', 'https://tests.example.com'], {}),
      'Origins whose pages may use the interface from a browser; * is any.',
    ),
  }),
  limits: limitsSchema,
  ui: section({
    reportsPort: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      default: 0,
      description:
        'Port that shows reports with several files, such as those of Playwright, apart from everything else; 0 for none.',
    },
  }),
  agents,
  qualityGates: section({
    definitions: paths('Files of quality gates, or directories of such files.'),
  }),
  insights: section({
    definitions: paths(
      'Files of insights that are made at the end of each run, or directories of such files.',
    ),
  }),
  hooks: section({
    channel: text({ description: 'File of hooks around every job on an agent.' }),
    providers: entries(
      {
        prefix: text({
          description: 'Of the functions of this server that the hooks are around.',
        }),
        path: text({ description: 'File of hooks.' }),
      },
      ['prefix', 'path'],
      'Files of hooks around the calls of functions, by the prefix of these.',
    ),
  }),
  providers: section({
    directory: text({
      description:
        'Directory of descriptions of functions. Without it, the directory providers in dataDir counts, if it is there.',
    }),
  }),
  calls: section({
    tags: listOf(
      like('^[a-zA-Z][a-zA-Z0-9-]*$', ['linux'], {}),
      'Tags of the environments that fetch called workflows from repositories, besides those of the jobs that call.',
    ),
  }),
  outgoing: outgoingSchema,
  resources: section({
    privateAddresses: flag(
      'An older name: true is the same as outgoing.privateNetworks with all networks.',
    ),
  }),
  tracing,
  retention,
  testHistory,
  quarantine,
} as const;

export const configSchema = {
  $id: 'server-config',
  title: 'ServerConfig',
  ...section(properties),
} as const;

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/** The configuration with its defaults applied; frozen. */
export type ServerConfig = ValueOf<typeof configSchema>;

/** A part of the configuration, as a command line sets it. */
export type ServerConfigInput = DeepPartial<ServerConfig>;

/**
 * The schema of what users write. A key of a section may also stand alone, with its dot. Editors are told of the schema by `$schema`, and a
 * file may be empty.
 */
export function fileSchema(): Omit<ConfigNode, 'type'> & { readonly type: readonly string[] } {
  const root: ConfigNode = configSchema;
  const dotted = Object.entries(root.properties ?? {}).flatMap(([name, node]) =>
    Object.entries(node.properties ?? {}).map(([key, child]) => [`${name}.${key}`, child]),
  );
  const $schema = { type: 'string', description: 'Address of this schema, for editors.' } as const;
  const all = { $schema, ...root.properties, ...Object.fromEntries(dotted) };
  return { ...root, type: ['object', 'null'], properties: all };
}
