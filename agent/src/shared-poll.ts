/**
 * One poll for all slots of a process. Each slot asks as if alone; one request names all slots that ask. The server answers as soon as it has
 * an order for one of them. If a slot asks while a request is held, a newer request ends the older one at the server.
 */
import { type AgentPolls, REASON_CODES } from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import type { AgentPaths, KnownCommands } from './connection/agent-paths.ts';
import { judge } from './connection/answers.ts';
import type { Answer, Connection } from './connection/http-connection.ts';
import { POLL_HEADERS, POLL_TIMEOUT_MS } from './limits.ts';

export interface PollingSlot {
  readonly agentId: string;
  /** Called when the request is made. */
  readonly known: () => KnownCommands;
  readonly signal: AbortSignal;
}

interface Asker extends PollingSlot {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedPoll {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #askers = new Map<string, Asker>();
  #isDue = false;
  #newest = 0;

  constructor(connection: Connection, paths: AgentPaths) {
    this.#connection = connection;
    this.#path = paths.polls;
  }

  /** Resolves with the answer for this slot, in the form of an answer to a poll of one agent. */
  ask(slot: PollingSlot): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asker = { ...slot, resolve, reject };
    const leave = () => {
      if (this.#askers.get(slot.agentId) === asker) this.#askers.delete(slot.agentId);
      reject(new Error('The slot no longer asks for work.'));
    };
    slot.signal.addEventListener('abort', leave, { once: true });
    this.#askers.set(slot.agentId, asker);
    this.#sendSoon();
    return promise.finally(() => slot.signal.removeEventListener('abort', leave));
  }

  /** A slot that has got an order asks again in the same turn, unless the order takes longer. */
  #sendSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#send([...this.#askers.values()]);
    });
  }

  async #send(askers: readonly Asker[]): Promise<void> {
    if (askers.length === 0) return;
    this.#newest += 1;
    const number = this.#newest;
    const settle = (settleOne: (asker: Asker) => void) => {
      // The newer request has the same slots.
      if (number === this.#newest) for (const asker of askers) this.#settle(asker, settleOne);
    };
    try {
      const answer = await this.#request(askers);
      const isShared = judge(answer) === 'done' && answer.code !== REASON_CODES.NoContent;
      if (!isShared) settle(({ resolve }) => resolve(answer));
      else if (this.#distribute(answer, askers) === 0) settle(({ resolve }) => resolve(NOTHING));
      else this.#sendSoon();
    } catch (error) {
      settle(({ reject }) => reject(error));
    }
  }

  #request(askers: readonly Asker[]): Promise<Answer> {
    const polls = askers.map(({ agentId, known }) => ({ agent_id: agentId, ...known() }));
    return this.#connection.send({
      method: 'POST',
      path: this.#path,
      json: JSON.stringify({ polls } satisfies AgentPolls),
      headers: POLL_HEADERS,
      timeoutMs: POLL_TIMEOUT_MS,
      pool: 'poll',
      repeatable: true,
    });
  }

  /** Returns the number of slots that got something. */
  #distribute({ body }: Answer, askers: readonly Asker[]): number {
    const { orders, unknown } = entriesOf(entriesOf(body).details);
    const lost: readonly unknown[] = Array.isArray(unknown) ? unknown : [];
    const given = askers.filter((asker) => {
      const details = entriesOf(orders)[asker.agentId];
      if (details !== undefined) {
        return this.#settle(asker, ({ resolve }) =>
          resolve({ code: REASON_CODES.OK, body: { details } }),
        );
      }
      return lost.includes(asker.agentId) && this.#settle(asker, ({ resolve }) => resolve(UNKNOWN));
    });
    return given.length;
  }

  /** False for a slot that has an answer already, or has left. */
  #settle(asker: Asker, settleOne: (asker: Asker) => void): boolean {
    if (this.#askers.get(asker.agentId) !== asker) return false;
    this.#askers.delete(asker.agentId);
    settleOne(asker);
    return true;
  }
}

const NOTHING: Answer = { code: REASON_CODES.NoContent, body: undefined };

/** As the server answers a poll of one agent that it does not know. */
const UNKNOWN: Answer = { code: REASON_CODES.NotFound, body: { kind: 'Status' } };
