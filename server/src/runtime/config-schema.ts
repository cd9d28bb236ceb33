/** The configuration of the server, as one JSON Schema: its keys, defaults and documentation. */
import { DEFAULT_API_GROUP, NAMESPACE_NAME } from '@tutti/manifests';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { ConfigNode } from './config-check.ts';
import { limitsSchema } from './limits-schema.ts';
import { LOG_LEVELS } from './logger.ts';
import { outgoingSchema, tlsSchema } from './network-schema.ts';
import { SERVICE_NAMES } from './service-addresses.ts';

const NAMESPACE = NAMESPACE_NAME.slice(1, -1);
const NAMESPACES = `^(\\*|${NAMESPACE}(\\s*,\\s*${NAMESPACE})*)$`;

export const configSchema = {
  $id: 'server-config',
  title: 'ServerConfig',
  type: 'object',
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address to listen on.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      default: 7774,
      description: 'Port to listen on; 0 takes a free one.',
    },
    servicePorts: {
      type: 'boolean',
      default: false,
      description:
        'Whether to listen on the eight ports that existing clients take for services, too; each has the whole interface.',
    },
    services: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: SERVICE_NAMES, description: 'Name of the service.' },
          port: {
            type: 'integer',
            minimum: 1,
            maximum: 65535,
            description: 'Its port, where servicePorts is true.',
          },
          prefix: {
            type: 'string',
            pattern: '^(/[a-zA-Z0-9._~-]+)+$',
            examples: ['/observer'],
            description: 'Path under which the interface is reached, besides its own.',
          },
        },
        required: ['name'],
        additionalProperties: false,
      },
      default: [],
      description: 'Ports and path prefixes of services, where they are not the usual ones.',
    },
    pendingAsRunning: {
      type: 'boolean',
      default: false,
      description:
        'Whether the status of a workflow says RUNNING where it is PENDING, for clients of 2021 and 2022, which know no other.',
    },
    tls: tlsSchema,
    dataDir: {
      type: 'string',
      minLength: 1,
      default: './.tutti',
      description: 'Directory of the store, the files and the keys.',
    },
    apiGroup: {
      type: 'string',
      pattern: '^[a-z0-9.-]+$',
      examples: ['example.com'],
      default: DEFAULT_API_GROUP,
      description: 'Domain that prefixes apiVersion values and label keys.',
    },
    pluginFiles: {
      type: 'string',
      minLength: 1,
      description:
        'Directory that plugins have as /tmp. The server reads the files that their events name, and writes those that their steps ask for. Without it, neither is had.',
    },
    logLevel: {
      type: 'string',
      enum: LOG_LEVELS,
      default: 'info',
      description: 'Least severe level that is logged.',
    },
    auth: {
      type: 'object',
      properties: {
        trustedKeys: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: {
                type: 'string',
                minLength: 1,
                description: 'Public key (PEM), or a directory of them.',
              },
              namespaces: {
                type: 'string',
                pattern: NAMESPACES,
                examples: ['*', 'team-a, team-b'],
                default: '*',
                description: 'What its tokens may reach: * or names separated by commas.',
              },
            },
            required: ['path', 'namespaces'],
            additionalProperties: false,
          },
          default: [],
          description: "Keys whose tokens are accepted, besides the data directory's own.",
        },
        keySets: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              url: {
                type: 'string',
                pattern: '^https?://',
                examples: ['https://login.example.com/.well-known/jwks.json'],
                description: 'Address of a JSON Web Key Set: https, or http of this machine.',
              },
              namespaces: {
                type: 'string',
                pattern: NAMESPACES,
                examples: ['*', 'team-a, team-b'],
                default: '*',
                description: 'What its tokens may reach: * or names separated by commas.',
              },
            },
            required: ['url', 'namespaces'],
            additionalProperties: false,
          },
          default: [],
          description: 'Addresses where authorities publish keys whose tokens are accepted.',
        },
        tokenFile: {
          type: 'string',
          minLength: 1,
          description: 'Tokens that are no JWT, with their users. Needs auth.policyFile.',
        },
        policyFile: {
          type: 'string',
          minLength: 1,
          description: 'What the users of auth.tokenFile may do.',
        },
        insecureLogin: {
          type: 'boolean',
          default: false,
          description:
            'Whether programs of this machine need no token: they may do everything. Needs a host that no other machine reaches.',
        },
        insecureHealth: {
          type: 'boolean',
          default: false,
          description: 'Whether GET /health answers without a token.',
        },
        insecureDocs: {
          type: 'boolean',
          default: false,
          description:
            'Whether GET /docs and GET /schemas/{name}.json answer without a token, for browsers and editors.',
        },
        insecureMetrics: {
          type: 'boolean',
          default: false,
          description: 'Whether GET /metrics answers without a token.',
        },
      },
      required: [
        'trustedKeys',
        'keySets',
        'insecureLogin',
        'insecureHealth',
        'insecureDocs',
        'insecureMetrics',
      ],
      additionalProperties: false,
    },
    cors: {
      type: 'object',
      properties: {
        origins: {
          type: 'array',
          items: {
            type: 'string',
            pattern: '^(\\*|https?://[^/]+)$',
            examples: ['*', 'https://tests.example.com'],
          },
          default: [],
          description: 'Origins whose pages may use the interface from a browser; * is any.',
        },
      },
      required: ['origins'],
      additionalProperties: false,
    },
    limits: limitsSchema,
    agents: {
      type: 'object',
      properties: {
        livenessSeconds: {
          type: 'number',
          exclusiveMinimum: 0,
          default: 300,
          description: 'Silence after which an agent is unreachable, unless it says otherwise.',
        },
        synchronousLivenessSeconds: {
          type: 'number',
          exclusiveMinimum: 0,
          default: 3600,
          description:
            'The same while an existing agent in synchronous mode runs a command and says nothing, or asks for work in a way that does not tell whether it has its command; longer than any step.',
        },
        disconnectGraceSeconds: {
          type: 'number',
          minimum: 0,
          default: 10,
          description:
            'Time an agent has to connect again before it is unreachable and gets no new job.',
        },
        absenceSeconds: {
          type: 'number',
          minimum: 0,
          // Two minutes without network, and a minute until a request that was sent meanwhile fails and is sent again.
          default: 180,
          description:
            'Time that one of our own agents may be away before its step is given up; agents.disconnectGraceSeconds at least.',
        },
      },
      required: [
        'livenessSeconds',
        'synchronousLivenessSeconds',
        'disconnectGraceSeconds',
        'absenceSeconds',
      ],
      additionalProperties: false,
    },
    qualityGates: {
      type: 'object',
      properties: {
        definitions: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          default: [],
          description: 'Files of quality gates, or directories of such files.',
        },
      },
      required: ['definitions'],
      additionalProperties: false,
    },
    insights: {
      type: 'object',
      properties: {
        definitions: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          default: [],
          description:
            'Files of insights that are made at the end of each run, or directories of such files.',
        },
      },
      required: ['definitions'],
      additionalProperties: false,
    },
    hooks: {
      type: 'object',
      properties: {
        channel: {
          type: 'string',
          minLength: 1,
          description: 'File of hooks around every job on an agent.',
        },
        providers: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              prefix: {
                type: 'string',
                minLength: 1,
                description: 'Of the functions of this server that the hooks are around.',
              },
              path: { type: 'string', minLength: 1, description: 'File of hooks.' },
            },
            required: ['prefix', 'path'],
            additionalProperties: false,
          },
          default: [],
          description: 'Files of hooks around the calls of functions, by the prefix of these.',
        },
      },
      required: ['providers'],
      additionalProperties: false,
    },
    providers: {
      type: 'object',
      properties: {
        directory: {
          type: 'string',
          minLength: 1,
          description:
            'Directory of descriptions of functions. Without it, the directory providers in dataDir counts, if it is there.',
        },
      },
      additionalProperties: false,
    },
    calls: {
      type: 'object',
      properties: {
        tags: {
          type: 'array',
          items: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9-]*$', examples: ['linux'] },
          default: [],
          description:
            'Tags of the environments that fetch called workflows from repositories, besides those of the jobs that call.',
        },
      },
      required: ['tags'],
      additionalProperties: false,
    },
    outgoing: outgoingSchema,
    resources: {
      type: 'object',
      properties: {
        privateAddresses: {
          type: 'boolean',
          default: false,
          description:
            'An older name: true is the same as outgoing.privateNetworks with all networks.',
        },
      },
      required: ['privateAddresses'],
      additionalProperties: false,
    },
    tracing: {
      type: 'object',
      properties: {
        endpoint: {
          type: 'string',
          pattern: '^https?://[^/]',
          examples: ['http://collector.example.com:4318'],
          description:
            'Collector that gets a trace of each run (OTLP over HTTP). Without a path, /v1/traces is meant.',
        },
        headers: {
          type: 'string',
          pattern: '^[^=,\\s]+=[^,]*(,\\s*[^=,\\s]+=[^,]*)*$',
          examples: ['x-api-key=abc'],
          description: 'Headers of requests to it: name=value, separated by commas.',
        },
        serviceName: {
          type: 'string',
          minLength: 1,
          description: 'What the server is called in traces; else OTEL_SERVICE_NAME, or tutti.',
        },
      },
      additionalProperties: false,
    },
    retention: {
      type: 'object',
      properties: {
        minutes: {
          type: 'number',
          exclusiveMinimum: 0,
          default: 10080,
          description: 'How long a finished run is kept.',
        },
        runs: {
          type: 'integer',
          minimum: 1,
          default: 10000,
          description: 'How many finished runs are kept at most; the oldest leave first.',
        },
        historyMinutes: {
          type: 'number',
          minimum: 0,
          default: 129600,
          description:
            'How long outcomes and times of test cases are kept, from the beginning of their run, if that is gone before.',
        },
      },
      required: ['minutes', 'runs', 'historyMinutes'],
      additionalProperties: false,
    },
  },
  required: [
    'host',
    'port',
    'servicePorts',
    'services',
    'pendingAsRunning',
    'tls',
    'dataDir',
    'apiGroup',
    'logLevel',
    'auth',
    'cors',
    'limits',
    'agents',
    'qualityGates',
    'insights',
    'hooks',
    'providers',
    'calls',
    'outgoing',
    'resources',
    'tracing',
    'retention',
  ],
  additionalProperties: false,
} as const satisfies JSONSchema;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/** The configuration with its defaults applied; frozen. */
export type ServerConfig = DeepReadonly<FromSchema<typeof configSchema>>;

/** A part of it, as a command line gives it. */
export type ServerConfigInput = DeepPartial<ServerConfig>;

/**
 * The schema of what users write: keys with a default may be left out, and so may sections, all of whose keys have one or need none.
 * A key of a section may also stand alone, with its dot. Editors are told of the schema by `$schema`, and a file may be empty.
 */
export function fileSchema(): Omit<ConfigNode, 'type'> & { readonly type: readonly string[] } {
  const root = optional(configSchema);
  const dotted = Object.entries(root.properties ?? {}).flatMap(([section, node]) =>
    Object.entries(node.properties ?? {}).map(([key, child]) => [`${section}.${key}`, child]),
  );
  const $schema = { type: 'string', description: 'Address of this schema, for editors.' } as const;
  const properties = { $schema, ...root.properties, ...Object.fromEntries(dotted) };
  return { ...root, type: ['object', 'null'], properties };
}

function optional({ required = [], ...node }: ConfigNode): ConfigNode {
  const { properties, items } = node;
  const isNeeded = (key: string) => {
    const child = properties?.[key];
    return child?.type !== 'object' && child?.default === undefined;
  };
  const needed = required.filter(isNeeded);
  return {
    ...node,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, child]) => [key, optional(child)]),
      ),
    }),
    ...(items && { items: optional(items) }),
    ...(needed.length > 0 && { required: needed }),
  };
}
