/**
 * The attacks that Tutti withstands. Each row names an attack, the endpoints or parts that it aims at, and the bound that holds.
 * `attack(id, run)` makes the test of a row; `tests/structure/attacks.test.ts` holds that each row has one.
 */
export interface Attack {
  readonly attack: string;
  /** Endpoints, or the part of the product. */
  readonly endpoint: string;
  /** What the victim keeps, or what the attacker gets. */
  readonly bound: string;
}

export const ATTACKS = {
  // 1. No request blocks the event loop.
  // 2. Nobody reserves capacity for bytes he has not sent.
  // 3. Memory is bounded by bytes.
  'memory-live-runs': {
    attack: 'Twenty live workflows of 11 MB, with a heap of 512 MiB',
    endpoint: 'POST /workflows',
    bound:
      'refused with a reason; other namespaces start workflows, and all accepted ones go on, also after a kill',
  },
  'memory-listings': {
    attack: 'Many clients that list large manifests and events at once, of which some never read',
    endpoint: 'GET /workflows, GET /workflows/{workflow_id}/status',
    bound: 'the server goes on, and whoever reads gets a whole answer',
  },
  'memory-documents': {
    attack: 'A document of 11 MB that takes twenty times as much memory',
    endpoint: 'POST /workflows, POST /publications',
    bound: 'refused before it is read',
  },
  'memory-subscriptions': {
    attack: 'A thousand subscriptions of 60 KB',
    endpoint: 'POST /subscriptions',
    bound: 'refused once the bytes of the namespace are used up; another namespace subscribes',
  },
  'memory-agents': {
    attack: 'A thousand registrations of 60 KB',
    endpoint: 'POST /agents',
    bound: 'refused once the bytes of the namespace are used up; another namespace registers',
  },
  // 4. A publication costs no more than it is worth.
  // 5. A publication reaches only the namespaces of its token.
  // 6. Revocation takes effect immediately.
  // 7. The server makes no request that its policy forbids.
  // 8. Wall-clock time follows the system clock.
  // 9. Jobs on one agent.
  // 10. Paths of workflow commands.
  // 11. Masks.
  'encoded-secrets': {
    attack: 'A step prints its secrets encoded, or with colour codes and NUL in between',
    endpoint: 'logs, events, inboxes',
    bound: 'nobody reads a secret: Base64, hex, URL, XML and nested JSON are masked, too',
  },
  // 12. Shares of namespaces and subjects.
  'full-queue': {
    attack: 'A namespace queues many runs for the only agent',
    endpoint: 'POST /workflows, scheduling',
    bound: 'namespaces take turns: a later run of another one starts after one job',
  },
  // 13. The actor.
  // 14. Rights.
  // 15. Networks of agents.
  // 16. Health and damaged data.
  // 17. Connections and headers.
  // 18. Defaults and TLS.
} as const satisfies Record<string, Attack>;
