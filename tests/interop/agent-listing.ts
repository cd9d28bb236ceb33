/** A server's listing of agents, as these tests read it. */
import { type Api, bodyOf } from '../support/api.ts';

export interface AgentListing {
  readonly metadata: { readonly agent_id: string; readonly name: string };
  readonly status: { readonly phase: string; readonly communicationCount: number };
}

/** The agents whose names begin so, of which there are several with one name after a restart. */
export async function agentsNamed(
  api: Pick<Api, 'call'>,
  name: string,
): Promise<readonly AgentListing[]> {
  const { items } = bodyOf(await api.call('GET', '/agents'));
  if (!Array.isArray(items)) throw new Error('The listing has no items.');
  return (items as readonly AgentListing[]).filter(({ metadata }) =>
    metadata.name.startsWith(name),
  );
}
