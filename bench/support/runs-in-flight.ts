/** Keeps a number of runs in the server: for each that ends, another one is started. */
import { HttpSocket } from './http-socket.ts';
import { postWorkflowText } from './load.ts';
import type { ServerProcess } from './server-process.ts';
import type { AgentObserver } from './synthetic-agent.ts';

/** The last command of a job releases its environment; its result ends a run that has one job. */
const RELEASE = '/-2';

export class RunsInFlight {
  readonly #request: string;
  readonly #idle: HttpSocket[];
  readonly #sockets: readonly HttpSocket[];
  #owed = 0;
  #ended = 0;
  #awaited: { readonly count: number; readonly resolve: () => void } | null = null;

  constructor({ url, token }: ServerProcess, workflow: object, connections: number) {
    this.#request = postWorkflowText(token, workflow);
    this.#sockets = Array.from({ length: connections }, () => new HttpSocket(url));
    this.#idle = [...this.#sockets];
  }

  /** For the agents that do the work. */
  readonly observer: AgentObserver = {
    confirmed: (commandId) => {
      if (!commandId.endsWith(RELEASE)) return;
      this.#ended += 1;
      this.#owed += 1;
      this.#refill();
      if (this.#ended === this.#awaited?.count) this.#awaited.resolve();
    },
  };

  /** Number of ended runs. */
  get endedCount(): number {
    return this.#ended;
  }

  /** Resolves when `count` more runs have ended. */
  ended(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count: this.#ended + count, resolve };
    });
  }

  /** No further runs are started. */
  stop(): void {
    this.#owed = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.stop();
    for (const socket of this.#sockets) socket.close();
  }

  #refill(): void {
    while (this.#owed > 0) {
      const socket = this.#idle.pop();
      if (socket === undefined) return;
      this.#owed -= 1;
      void socket.send(this.#request).then(() => {
        this.#idle.push(socket);
        this.#refill();
      });
    }
  }
}
