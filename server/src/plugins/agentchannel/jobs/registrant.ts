/** The token that registered an agent, and the identity by which an existing agent is known after a restart. */
import type { Actor, AgentRegistration } from '@tutti/manifests';

export interface Registrant extends Actor {
  /** The other end of the connection; null behind a proxy, where all agents have the same. */
  readonly address: string | null;
}

/** The name, token and script directory; null for agents of ours and of operators, which have no such identity. */
export function identityOf(
  { metadata, spec }: AgentRegistration,
  registrant: Registrant | null,
): string | null {
  if (registrant === null || !spec.script_path || spec.protocol !== undefined) return null;
  const { subject, key } = registrant;
  return JSON.stringify([metadata.name, spec.script_path, subject, key]);
}
