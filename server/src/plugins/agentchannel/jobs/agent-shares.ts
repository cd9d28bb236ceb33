/** Limits the number of registered agents and the memory of their registrations, in all and for each namespace. */
import { type AgentRegistration, OrchestratorError } from '@tutti/manifests';
import { ByteShares } from '../../../runtime/byte-shares.ts';
import { heapBytes } from '../../../runtime/heap-bytes.ts';
import { type NamespaceHolder, Shares } from '../../../runtime/shares.ts';

export interface AgentBounds {
  readonly agentsMax: number;
  readonly agentsBytesMax: number;
  /** The share of all agents that one namespace may have. */
  readonly namespaceShare: number;
}

export class AgentShares {
  readonly #max: number;
  readonly #counts: Shares;
  readonly #memory: ByteShares;
  #count = 0;

  constructor({ agentsMax, agentsBytesMax, namespaceShare }: AgentBounds) {
    this.#max = agentsMax;
    this.#counts = new Shares({
      total: agentsMax,
      things: 'registered agents (limits.agents)',
      subjectShare: 1,
      namespaceShare,
    });
    this.#memory = new ByteShares({
      bytesMax: agentsBytesMax,
      what: 'registrations of agents',
      remedy: 'De-register agents that are not needed, or say less in each.',
    });
  }

  /** Throws `TooManyRequests` where there is no room for one more agent. */
  requireRoom(registration: AgentRegistration): void {
    if (this.#count >= this.#max) {
      throw new OrchestratorError('TooManyRequests', `There are ${this.#max} agents already.`);
    }
    const holder = holderOf(registration);
    const refusal = this.#counts.refusal(holder);
    if (refusal !== null) throw refusal;
    this.#memory.requireRoom(holder.namespaces, heapBytes(registration));
  }

  /** Counts an agent that registers; with -1, one that is de-registered. */
  add(registration: AgentRegistration, agents: 1 | -1): void {
    const holder = holderOf(registration);
    this.#count += agents;
    this.#counts.add(holder, agents);
    this.#memory.add(holder.namespaces, agents * heapBytes(registration));
  }
}

/** Hundreds of agents share a token, so a subject has no share of its own. */
function holderOf({ metadata }: AgentRegistration): NamespaceHolder {
  const namespaces = (metadata.namespaces || 'default').split(',');
  return { subject: null, namespaces: namespaces.includes('*') ? '*' : new Set(namespaces) };
}
