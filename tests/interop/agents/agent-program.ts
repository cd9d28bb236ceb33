/** Existing agents as processes, registered with a server. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import { agentsNamed } from '../agent-listing.ts';
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
  /** Folder of an agent that is started again; a new one if absent. */
  readonly folder?: string;
  /** Names of its folders. */
  readonly workspace?: string;
  readonly scripts?: string;
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
    folder = bench.path(id),
    workspace = 'workspace',
    scripts = 'scripts',
    url = server.url,
  }: LaunchOptions = {},
): Promise<Omit<AgentProgram, 'id'>> {
  const places = { workspace: join(folder, workspace), scripts: join(folder, scripts) };
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

/** The same, once it is registered and asks for work. Ends with the test. */
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
    const asks = (await agentsNamed(server, tag)).find(
      ({ status }) => status.communicationCount > 0,
    );
    return asks?.metadata.agent_id;
  });
  return { ...agent, program, id };
}
