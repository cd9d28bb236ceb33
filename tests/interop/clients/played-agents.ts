/** A server whose agents are played by the tests, with jobs that they alone can have. */
import { afterAll, beforeAll } from 'vitest';
import type { Api, Loose } from '../../support/api.ts';
import {
  type ExistingAgent,
  type ExistingRegistration,
  registerExisting,
} from '../../support/existing-agent.ts';
import { type Manifest, oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { inItsManner } from './recorded-client.ts';

/** One that gets scripts with its commands. */
export const V2 = { metadata: { version: '2.0.0', namespaces: 'default' } };
/** An agent's post about a successful step. */
export const OK = { stdout: [], stderr: [], exit_status: 0, variables: null };

interface Assigned {
  readonly agent: ExistingAgent;
  /** Id of the workflow. */
  readonly id: string;
}

export interface PlayedAgents {
  readonly bench: Workbench;
  readonly server: ServerChild;
  /** The server, asked in the manner of agents. */
  readonly api: Api;
  /** An agent with a tag of its own, and a run of these steps that it alone can have. */
  assigned(commands: readonly string[], registration?: ExistingRegistration): Promise<Assigned>;
  /** The same before the run is started. */
  lone(
    steps: readonly Manifest[],
    registration?: ExistingRegistration,
  ): Promise<{ readonly agent: ExistingAgent; readonly manifest: Manifest }>;
  /** An agent that was told of a file to send. */
  askedForFile(): Promise<Assigned & { readonly get: Loose }>;
}

/** For all tests of the file that calls this at its top. */
export function usePlayedAgents(): PlayedAgents {
  let bench: Workbench;
  let server: ServerChild;
  let api: Api;
  let tags = 0;
  beforeAll(async () => {
    bench = await Workbench.open();
    server = await bench.server();
    api = { url: server.url, call: inItsManner(server) };
  });
  afterAll(() => bench.close());
  const lone: PlayedAgents['lone'] = async (steps, registration = V2) => {
    tags += 1;
    const tag = `own${tags}`;
    const agent = await registerExisting(api, ['linux', tag], registration);
    return { agent, manifest: oneJob(tag, steps, { 'runs-on': tag }) };
  };
  const assigned: PlayedAgents['assigned'] = async (commands, registration) => {
    const steps = commands.map((command) => sh(command));
    const { agent, manifest } = await lone(steps, registration);
    return { agent, id: await start(api, manifest) };
  };
  const askedForFile: PlayedAgents['askedForFile'] = async () => {
    const { agent, id } = await assigned(['attach']);
    await agent.work();
    await agent.post({ ...OK, stdout: ['::attach::/tmp/some.bin'] });
    return { agent, id, get: await agent.work() };
  };
  return {
    get bench() {
      return bench;
    },
    get server() {
      return server;
    },
    get api() {
      return api;
    },
    lone,
    assigned,
    askedForFile,
  };
}
