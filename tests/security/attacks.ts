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
  // 4. A publication costs no more than it is worth.
  // 5. A publication reaches only the namespaces of its token.
  // 6. Revocation takes effect immediately.
  'revoked-inbox': {
    attack: 'An inbox goes on after the key of its token was replaced',
    endpoint: 'POST /subscriptions',
    bound: 'it gets nothing more, is listed as suspended, and goes on when it is subscribed anew',
  },
  'revoked-inbox-at-start': {
    attack: 'An inbox goes on after a restart though its token was revoked meanwhile',
    endpoint: 'POST /subscriptions',
    bound: 'it is suspended before anything is delivered',
  },
  'expired-inbox': {
    attack: 'An inbox goes on after its token has expired',
    endpoint: 'POST /subscriptions',
    bound: 'it gets nothing more',
  },
  'revoked-poll': {
    attack: 'An agent whose token was revoked waits for the next job with its secrets',
    endpoint: 'GET /agents/{agent_id}',
    bound: 'its poll ends, and no job is placed on it',
  },
  'revoked-existing-agent': {
    attack:
      'An agent that asks now and then keeps its place in the pool after its token was revoked',
    endpoint: 'POST /agents',
    bound: 'no job is placed on it',
  },
  'revoked-stream': {
    attack: 'Readers of events, logs and publications stay after their token was revoked',
    endpoint: 'GET /workflows/{workflow_id}/status, /logs, GET /publications',
    bound: 'each stream breaks off within seconds',
  },
  'expired-stream': {
    attack: 'A reader of events stays after its token has expired',
    endpoint: 'GET /workflows/{workflow_id}/status',
    bound: 'the stream breaks off at that time',
  },
  'revoked-upload': {
    attack: 'A body goes on to come after its token was revoked',
    endpoint: 'POST /workflows',
    bound: 'the connection is closed with 401, and no run starts',
  },
  'reduced-rights': {
    attack: 'A reader and an inbox keep rights that the policy file took away',
    endpoint: 'GET /workflows/{workflow_id}/status, POST /subscriptions',
    bound: 'the stream breaks off, and the inbox is suspended until the rights are back',
  },
  'one-token': {
    attack: 'One token of many was stolen',
    endpoint: 'tutti tokens revoke',
    bound: 'that token alone is refused, also after a restart, and also one of a trusted key',
  },
  // 7. The server makes no request that its policy forbids.
  // 8. Wall-clock time follows the system clock.
  'clock-forward': {
    attack:
      'The clock goes on by two hours, as after a sleep of the machine, under a token of one hour',
    endpoint: 'all endpoints',
    bound: 'the token has expired, streams of it break off, and timestamps tell the new time',
  },
  'clock-back': {
    attack: 'The clock is set back under a server',
    endpoint: 'timeout-minutes, GET /workflows/{workflow_id}/status',
    bound: 'a step stops when its time is over, and timestamps tell the new time',
  },
  'clock-timeouts': {
    attack: 'The clock is set forward by two hours while a job with a timeout of one hour runs',
    endpoint: 'timeout-minutes',
    bound: 'the job goes on, its agent stays, and timestamps tell the new time',
  },
  'stopped-process': {
    attack: 'The process of the server stands still while a token expires',
    endpoint: 'GET /workflows/{workflow_id}/status, POST /subscriptions',
    bound: 'no event is sent with the token afterwards',
  },
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
