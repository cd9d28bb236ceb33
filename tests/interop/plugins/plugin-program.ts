// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Plugins as processes: a program of ours on a toolkit, with the files that its documentation asks for beside it. */
import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bodyOf, type Loose } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import type { FeatureRun } from '../feature.ts';
import { Program } from '../program.ts';
import type { PluginSubject } from './area.ts';

type Server = Pick<ServerChild, 'url' | 'token' | 'call' | 'dataDir'>;
export type PluginRun = FeatureRun<PluginSubject>;

const PAIR = {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

/** The plugins beside this file. */
const PLUGINS = {
  provider: { name: 'greeter', config: 'ProviderConfig', category: 'greet', inputs: ['who'] },
  generator: {
    name: 'bundler',
    config: 'ServiceConfig',
    category: 'parts',
    inputs: ['count', 'tags'],
    outputs: {
      plain: '${{ jobs.part-1.outputs.described }}',
      described: {
        description: 'what the second part is',
        value: '${{ jobs.part-2.outputs.plain }}',
      },
    },
  },
  channel: { name: 'folder', config: 'ProviderConfig', category: null, inputs: [] },
  publisher: { name: 'publisher', config: 'ServiceConfig', category: null, inputs: [] },
  selective: { name: 'selective', config: 'ServiceConfig', category: null, inputs: [] },
  witness: { name: 'witness', config: 'ServiceConfig', category: null, inputs: [] },
} as const;

export interface PluginProgram {
  readonly program: Program;
  /** Prefix of the functions that it offers. */
  readonly prefix: string;
  /** Its subscriptions, as the server lists them. */
  subscriptions(): Promise<readonly Loose[]>;
  /** The same once more, at the same address. */
  again(): Promise<PluginProgram>;
  /** As above, without a wait for anything. */
  launch(): Program;
}

/** Where an instance listens, and the name of all instances. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

export interface PluginOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** It knows no key of the server, and takes what comes from its own machine. */
  readonly trustsMachine?: boolean;
  /** A free port of this machine if absent. */
  readonly place?: Place;
}

/** Starts it, and waits until it has subscribed. Ends with the test. */
export async function startPlugin(
  bench: Workbench,
  server: Server,
  run: PluginRun,
  kind: keyof typeof PLUGINS,
  options: PluginOptions = {},
): Promise<PluginProgram> {
  const place = options.place ?? (await ownPlace());
  const folder = bench.path(`${run.id}-${kind}-${place.host}`);
  await mkdir(join(folder, 'conf'), { recursive: true });
  const { name } = PLUGINS[kind];
  const isByHand = kind === 'generator' && !run.subject.generates;
  const source = `programs/${kind}${isByHand ? '-by-hand' : ''}.py`;
  await copyFile(join(import.meta.dirname, source), join(folder, 'main.py'));
  const prefix = `${run.id}-${run.subject.asks}`;
  const descriptor = JSON.stringify(descriptorOf(kind, prefix));
  for (const file of ['plugin.yaml', 'service.yaml']) {
    await writeFile(join(folder, file), descriptor);
  }
  const ownKey = join(folder, 'conf/own.pub.pem');
  await writeFile(ownKey, generateKeyPairSync('ec', PAIR).publicKey);
  const trust =
    options.trustsMachine === true
      ? { trusted_authorities: [ownKey], enable_insecure_login: true }
      : { trusted_authorities: [join(server.dataDir, 'keys/signing.pub.pem')] };
  const config = configOf(server, run.subject, kind, { place, trust });
  await writeFile(join(folder, `conf/${name}.yaml`), JSON.stringify(config));
  const launch = (): Program => {
    const { env = {} } = options;
    const program = new Program(run.program, join(folder, 'main.py'), [], { home: folder, env });
    run.context.onTestFinished(() => program.endAll());
    return program;
  };
  const again = async (): Promise<PluginProgram> => {
    const program = launch();
    const subscriptions = () => subscriptionsAt(server, place);
    await listening(program, place);
    await eventually('its subscription', async () => (await subscriptions()).length > 0);
    return { program, prefix, subscriptions, again, launch };
  };
  return await again();
}

async function ownPlace(): Promise<Place> {
  return { host: '127.0.0.1', port: await freePort(), name: '127.0.0.1' };
}

/** JSON is YAML, too. */
function descriptorOf(kind: keyof typeof PLUGINS, prefix: string): Loose {
  const { name, category, inputs, ...more } = PLUGINS[kind];
  if (category === null) return { metadata: { name } };
  const described = inputs.map((input) => [input, { description: input, required: false }]);
  return {
    metadata: { name, action: category },
    events: [{ categoryPrefix: prefix, category }],
    inputs: Object.fromEntries(described),
    ...('outputs' in more ? { outputs: more.outputs } : {}),
  };
}

function configOf(
  { url, token }: Server,
  { config: versions }: PluginSubject,
  kind: keyof typeof PLUGINS,
  { place, trust }: { readonly place: Place; readonly trust: Loose },
): Loose {
  const { config } = PLUGINS[kind];
  const version = config === 'ProviderConfig' ? versions.provider : versions.service;
  const context = {
    host: place.host,
    port: place.port,
    ssl_context: 'disabled',
    ...trust,
    eventbus: { endpoint: url, token, hostname: place.name },
  };
  return {
    apiVersion: `opentestfactory.org/${version}`,
    kind: config,
    'current-context': 'default',
    contexts: [{ name: 'default', context }],
  };
}

/** Waits until the plugin listens. A plugin that ends before rejects with its error output. */
async function listening(program: Program, { host, port }: Place): Promise<void> {
  const ended = program.whenEnded.then(({ stderr }) => {
    throw new Error(`The plugin has ended:\n${stderr}`);
  });
  const listens = eventually('its inbox', () =>
    fetch(`http://${host}:${port}/health`).then(
      () => true,
      () => false,
    ),
  );
  await Promise.race([listens, ended]);
}

async function subscriptionsAt(server: Server, { name, port }: Place): Promise<readonly Loose[]> {
  const { items } = bodyOf(await server.call('GET', '/subscriptions'));
  const inbox = `http://${name}:${port}/inbox`;
  return Object.values(items as Readonly<Record<string, Loose>>).filter(({ spec }) =>
    String((spec as { subscriber: Loose }).subscriber.endpoint).startsWith(inbox),
  );
}
