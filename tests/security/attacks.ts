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
  'announced-uploads': {
    attack: 'Sixty-four uploads announce 16 MiB each and send one byte now and then',
    endpoint: 'POST /workflows',
    bound: 'others start their runs; the uploads end with 408 after half a minute',
  },
  'half-sent-posts': {
    attack: 'Forty posts of an agent stop after most of their 64 MiB',
    endpoint: 'POST /agents/{agent_id}',
    bound: 'they hold no more than their share, other agents post, and the memory comes back',
  },
  'half-sent-bodies': {
    attack: 'Bodies that stop half-way, of each endpoint that takes one',
    endpoint: 'every endpoint with a body',
    bound: 'each connection is closed',
  },
  'share-of-starts': {
    attack: 'One subject sends the bodies of as many large workflows as it can, and ends none',
    endpoint: 'POST /workflows',
    bound: 'what is beyond its share is 429, and another subject starts a run',
  },
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
  'all-followers': {
    attack: 'One subject follows a run as often as it can',
    endpoint: 'GET /workflows/{workflow_id}/status, /logs',
    bound: 'it gets its share, then 429; others of its namespace get theirs',
  },
  'all-publication-readers': {
    attack: 'One namespace looks on at publications with all of its tokens',
    endpoint: 'GET /publications',
    bound: 'it gets its share, then 429; another namespace looks on',
  },
  'all-subscriptions': {
    attack: 'One subject makes as many subscriptions as it can',
    endpoint: 'POST /subscriptions',
    bound: 'it gets its share, then 429, also after a restart; others subscribe',
  },
  'all-connections': {
    attack: 'One subject keeps as many connections open as it can',
    endpoint: 'every endpoint',
    bound: 'it gets its share, then 429 on a connection that is closed; others are served',
  },
  'all-insight-requests': {
    attack: 'One subject asks for insights of a run that goes on as often as it can',
    endpoint: 'POST /workflows/{workflow_id}/insights',
    bound: 'it gets its share, then 429; others get theirs',
  },
  // 13. The actor.
  // 14. Rights.
  // 15. Networks of agents.
  // 16. Health and damaged data.
  // 17. Connections and headers.
  'silent-connections': {
    attack: 'One address opens connections and sends nothing, or half a request',
    endpoint: 'every port',
    bound: 'it has a part of the connections; each is closed after half a minute',
  },
  'kept-refusals': {
    attack: 'A connection asks without a token, or sends what is no request, and stays',
    endpoint: 'every endpoint',
    bound: 'the server closes it after the answer',
  },
  'two-hosts': {
    attack: 'A request has two Host headers',
    endpoint: 'every endpoint',
    bound: '400',
  },
  'long-boundary': {
    attack: 'The boundary of a form has more than 70 characters',
    endpoint: 'every endpoint that takes a form',
    bound: '400',
  },
  'names-of-prototypes': {
    attack:
      'Keys such as constructor and __proto__ everywhere in documents, queries, paths, headers and forms',
    endpoint: 'every endpoint',
    bound: 'no answer of 5xx, and no object gets a property',
  },
  'forwarded-logins': {
    attack: 'A proxy of the machine sends the requests of others, with any header that proxies use',
    endpoint: 'every endpoint, with auth.insecureLogin',
    bound: '401',
  },
  'told-credentials': {
    attack: 'Somebody reads the output of a command whose server address has a password',
    endpoint: 'the command line and the agent',
    bound: 'the password is in none of it',
  },
  // 18. Defaults and TLS.
} as const satisfies Record<string, Attack>;
