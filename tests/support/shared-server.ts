import { afterAll } from 'vitest';
import { type AgentChild, type ServerChild, Workbench } from './workbench.ts';

export interface SharedServer {
  readonly bench: Workbench;
  readonly server: ServerChild;
  readonly agent: AgentChild;
}

/** A server with an agent for all tests of a file, which stop after them: `const { server } = await sharedServer({...});`. */
export async function sharedServer(
  agent: Parameters<Workbench['agent']>[1],
  optionsIn: (bench: Workbench) => Parameters<Workbench['server']>[0] = () => ({}),
): Promise<SharedServer> {
  const bench = await Workbench.open();
  try {
    const server = await bench.server(optionsIn(bench));
    const started = await bench.agent(server, agent);
    afterAll(() => bench.close());
    return { bench, server, agent: started };
  } catch (error) {
    // No hook runs for a file that could not be read to its end.
    await bench.close();
    throw error;
  }
}
