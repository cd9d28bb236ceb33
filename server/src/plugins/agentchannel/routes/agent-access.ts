/** The agents that the bearer of a token may see and register (specification part 5, rule 5). */
import { OrchestratorError } from '@tutti/manifests';
import { type Access, notAuthorized, type Verb } from '../../../auth/access.ts';
import { type Agent, namespacesOf } from '../jobs/agent.ts';

const namesOf = (namespaces: string): readonly string[] =>
  namespaces.split(',').map((name) => name.trim());

/**
 * An agent is seen from each of its namespaces; one for all namespaces is seen from everywhere. A token that speaks for an agent, or
 * removes it, must reach all namespaces of the agent. Its commands have secrets of the workflows of each.
 */
export function mayReach(access: Access, verb: Verb, agent: Agent): boolean {
  const allowed = access.namespaces('agents', verb);
  if (verb !== 'list' || allowed === '*') return covers(allowed, agent);
  const names = namesOf(namespacesOf(agent));
  return names.includes('*') || names.some((name) => allowed.has(name));
}

/** The job of an agent may be of any of its namespaces. So only tokens that reach all of them see it. */
export const mayKnowJob = (access: Access, agent: Agent): boolean =>
  covers(access.namespaces('agents', 'list'), agent);

const covers = (allowed: ReadonlySet<string> | '*', agent: Agent): boolean =>
  allowed === '*' || namesOf(namespacesOf(agent)).every((name) => allowed.has(name));

/** An agent may only serve namespaces that its token reaches, since it sees the secrets of their workflows. */
export function checkRegistration(access: Access, namespaces: string): void {
  const allowed = access.namespaces('agents', 'create');
  if (allowed === '*') return;
  const foreign = namesOf(namespaces).filter((name) => !allowed.has(name));
  if (foreign.length === 0) return;
  throw new OrchestratorError(
    'Forbidden',
    `User ${access.subject} is not authorized to create agents in namespace ${foreign.join(', ')}.`,
  );
}

export function checkReach(access: Access, verb: Verb, agent: Agent): void {
  if (!mayReach(access, verb, agent)) throw notAuthorized(access, verb, 'agents');
}
