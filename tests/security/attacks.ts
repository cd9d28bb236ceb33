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
  'inbox-own-server': {
    attack: 'The inbox is the server itself, in any form of its address',
    endpoint: 'POST /subscriptions',
    bound: 'The subscription is refused, also where private networks are allowed',
  },
  'inbox-behind-proxy': {
    attack: 'The inbox is a proxy that leads back to POST /publications',
    endpoint: 'POST /subscriptions, POST /publications',
    bound: 'One publication comes back once and is refused',
  },
  'inbox-each-other': {
    attack: 'Two servers subscribe to each other',
    endpoint: 'POST /subscriptions, POST /publications',
    bound: 'One publication is delivered once and is refused by the other server',
  },
  'dead-inboxes': {
    attack: 'One publication of 4 MB for 100 inboxes that do not answer',
    endpoint: 'POST /publications',
    bound: 'The disk takes its body once, and memory stays below 400 MB',
  },
  'backlog-of-inbox': {
    attack: 'Publications for an inbox that does not answer, without end',
    endpoint: 'POST /publications',
    bound: 'The inbox keeps limits.undeliveredBytes; the listing and the metrics count the rest',
  },
  'backlog-of-namespace': {
    attack: 'Publications for many inboxes that do not answer, without end',
    endpoint: 'POST /publications',
    bound: 'They keep limits.undeliveredNamespaceBytes together; other namespaces go on',
  },
  // 5. A publication reaches only the namespaces of its token.
  // 6. Revocation takes effect immediately.
  // 7. The server makes no request that its policy forbids.
  'forged-addresses': {
    attack: 'Forms of addresses that lead to the machine of the server or to its networks',
    endpoint: 'POST /subscriptions, POST /workflows',
    bound: 'Each is refused with the setting that would allow it, and nobody is asked',
  },
  'disguised-machine': {
    attack: 'A program of the machine hides that it names the machine',
    endpoint: 'POST /subscriptions',
    bound: 'Only 127.0.0.1, ::1 and localhost are taken, and of direct requests alone',
  },
  'older-subscriptions': {
    attack: 'A subscription to a private address from before the policy',
    endpoint: 'GET /subscriptions',
    bound: 'It is shown as not allowed, and nobody is asked',
  },
  'port-scanner': {
    attack: 'The summary of deliveries tells open ports from closed ones',
    endpoint: 'GET /subscriptions',
    bound: 'It tells the same of both',
  },
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
