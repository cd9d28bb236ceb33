/** Rights of a token, as the server returns them (specification, `GET /namespaces`). */
import type { Client } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { OWN_RIGHTS, RESOURCES, VERBS } from './access-words.ts';

export interface Right {
  readonly resource: string;
  readonly verb: string;
  /** Names of namespaces; `*` means all. Empty if the token lacks the right. */
  readonly namespaces: readonly string[];
}
export type Rights = readonly Right[];

/** Asks a server for the rights of a token. The requests come one after the other, so that a refused token is refused once. */
export async function readRights(client: Pick<Client, 'ask'>): Promise<Rights> {
  const rights: Right[] = [];
  const known = RESOURCES.flatMap((resource) => VERBS.map((verb) => ({ resource, verb })));
  for (const { resource, verb } of [...known, ...OWN_RIGHTS]) {
    rights.push({ resource, verb, namespaces: await namespacesOf(client, resource, verb) });
  }
  return rights;
}

async function namespacesOf(
  client: Pick<Client, 'ask'>,
  resource: string,
  verb: string,
): Promise<readonly string[]> {
  try {
    const { details } = await client.ask({ path: '/namespaces', query: { resource, verb } });
    const isRecord = typeof details === 'object' && details !== null;
    const items: unknown = isRecord && 'items' in details ? details.items : [];
    return Array.isArray(items) ? items.map(String) : [];
  } catch (error) {
    // Some servers answer so for unknown or forbidden resources.
    if (isOrchestratorError(error) && ['Forbidden', 'Invalid'].includes(error.reason)) return [];
    throw error;
  }
}
