/** Existing agents as processes, registered with a server. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Api, bodyOf, type Loose } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import type { FeatureRun } from '../feature.ts';
import { Program } from '../program.ts';
import type { AgentSubject } from './area.ts';

export interface AgentProgram {
  readonly id: string;
  /** Its tag, beside `linux`. */
  readonly tag: string;
  readonly program: Program;
  readonly folder: string;
}

export interface LaunchOptions {
  /** Beyond those that every agent of these tests has. */
  readonly options?: readonly string[];
  /** Absent: the administrator's; null: none. */
  readonly token?: string | null;
  readonly workspace?: string;
  /** Where it finds the server, if not at its own address. */
  readonly url?: string;
}

type Server = Pick<ServerChild, 'url' | 'token' | 'call'>;

/** Starts the program, without waiting for anything. */
export async function launchAgent(
  bench: Workbench,
  server: Server,
  { subject, program: installed, id }: FeatureRun<AgentSubject>,
  {
    options = [],
    token = server.token,
    workspace = 'workspace',
    url = server.url,
  }: LaunchOptions = {},
): Promise<Omit<AgentProgram, 'id'>> {
  const folder = bench.path(id);
  const places = { workspace: join(folder, workspace), scripts: join(folder, 'scripts') };
  for (const place of Object.values(places)) await mkdir(place, { recursive: true });
  const { protocol, hostname, port } = new URL(url);
  const words = [
    ...[
      '--host',
      `${protocol}//${hostname}`,
      '--port',
      port,
      '--name',
      id,
      '--tags',
      `linux,${id}`,
    ],
    ...['--workspace_dir', places.workspace, '--script_path', places.scripts],
    ...(token === null ? [] : ['--token', token]),
    ...['--polling_delay', '1', ...subject.options, ...options],
  ];
  return {
    tag: id,
    folder,
    program: new Program(installed, 'opentf-agent', words, { home: folder }),
  };
}

/** The same, once it is registered. Ends with the test. */
export async function startAgent(
  bench: Workbench,
  server: Server,
  run: FeatureRun<AgentSubject>,
  options?: LaunchOptions,
): Promise<AgentProgram> {
  const agent = await launchAgent(bench, server, run, options);
  run.context.onTestFinished(() => agent.program.endAll());
  const { program, tag } = agent;
  const id = await eventually(`the registration of ${run.id}`, async () => {
    const [found] = await agentsNamed(server, tag);
    return found === undefined ? null : idOf(found);
  });
  return { ...agent, program, id };
}

/** The agents that are registered under a name, of which there are several after a restart. */
export async function agentsNamed(api: Pick<Api, 'call'>, name: string): Promise<readonly Loose[]> {
  const { items } = bodyOf(await api.call('GET', '/agents'));
  if (!Array.isArray(items)) throw new Error('The listing has no items.');
  return items.filter((item) => item.metadata.name === name);
}

const idOf = (item: Loose): string => {
  const { metadata } = item as { readonly metadata: { readonly agent_id: string } };
  return metadata.agent_id;
};
