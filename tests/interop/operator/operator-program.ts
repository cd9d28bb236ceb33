/** The operator as a process, with a pool. */
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import { type AgentListing, agentsNamed } from '../agent-listing.ts';
import type { FeatureRun } from '../feature.ts';
import { Program } from '../program.ts';
import type { Subject } from '../subjects.ts';

export interface Pool {
  /** Jobs with this tag run in its pods. */
  readonly tag: string;
  readonly program: Program;
  /** Where pods are; a pod that was removed has a neighbour of the folder. */
  readonly pods: string;
  /** Its agents, as the server lists them. */
  agents(): Promise<readonly AgentListing[]>;
}

type Server = Pick<ServerChild, 'url' | 'token' | 'call'>;

/** Starts an operator whose pool has so many agents. Ends with the test. */
export async function startPool(
  bench: Workbench,
  server: Server,
  { program: installed, id, context }: FeatureRun<Subject>,
  poolSize = 1,
): Promise<Pool> {
  const pods = bench.path('pods');
  const spec = {
    poolSize,
    tags: ['linux', id],
    orchestratorSecret: 'orchestrator',
    template: { metadata: { name: 'pod' }, spec: {} },
  };
  const script = join(import.meta.dirname, 'without-kubernetes.py');
  const program = new Program(installed, script, [id, JSON.stringify(spec), pods], {
    home: bench.path(id),
    env: { ORCHESTRATOR_URL: server.url, TOKEN: server.token },
  });
  context.onTestFinished(() => program.endAll());
  await eventually(`the pool ${id}`, () => program.stdout.includes('created'));
  return { tag: id, program, pods, agents: () => agentsNamed(server, `${id}-default-`) };
}
