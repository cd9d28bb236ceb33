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
  'documents-start': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-dry-run': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows?dryRun',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-form': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows, as a form',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-called': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows, files that are called',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-gate': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows/{workflow_id}/qualitygate',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-insights': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows/{workflow_id}/insights',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-publication': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /publications',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-subscription': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /subscriptions',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-registration': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /agents',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-agents': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'PATCH /agents',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-post': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /agents/{agent_id}',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-variables': {
    attack: 'more variables than a run may have',
    endpoint: 'POST /workflows',
    bound: 'a run has 4 096 at most',
  },
  // 2. Nobody reserves capacity for bytes he has not sent.
  // 3. Memory is bounded by bytes.
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
