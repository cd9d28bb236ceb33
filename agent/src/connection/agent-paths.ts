/** The request paths of the agent protocol below one server URL (specification 4.3; wire facts part 4). */
export interface AgentPaths {
  readonly agents: string;
  /** The path of a poll for several agents. */
  readonly polls: string;
  agent(agentId: string): string;
  poll(agentId: string, known: KnownCommands): string;
  file(agentId: string, fileId: string): string;
}

/** The state of commands that a poll reports; null is left out. */
export interface KnownCommands {
  /** Id of the last `run` command accepted. */
  readonly last: string | null;
  /** Id of the command whose result is not yet stored by the server. */
  readonly running: string | null;
}

/** @param server the server's URL; its path is the prefix of all paths */
export function createAgentPaths(server: URL): AgentPaths {
  const agents = `${server.pathname.replace(/\/+$/, '')}/agents`;
  const agent = (agentId: string) => `${agents}/${encodeURIComponent(agentId)}`;
  return {
    agents,
    polls: `${agents}/polls`,
    agent,
    poll: (agentId, known) => agent(agentId) + queryOf(known),
    file: (agentId, fileId) => `${agent(agentId)}/files/${encodeURIComponent(fileId)}`,
  };
}

function queryOf(known: KnownCommands): string {
  const query = new URLSearchParams();
  if (known.last !== null) query.set('last', known.last);
  if (known.running !== null) query.set('running', known.running);
  return query.size === 0 ? '' : `?${query}`;
}
