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
  // 7. The server makes no request that its policy forbids.
  // 8. Wall-clock time follows the system clock.
  // 9. Jobs on one agent.
  'job-outlived': {
    attack:
      'A job leaves processes behind: daemons without its environment, with all signals ignored, that start others and end',
    endpoint: 'agent, with marks',
    bound: 'none of them is there when the next job begins',
  },
  'job-outlived-cgroup': {
    attack: 'The same, and a storm of processes in sessions of their own',
    endpoint: 'agent, with a cgroup',
    bound: 'none of them is there when the next job begins',
  },
  'job-outlived-registration': {
    attack:
      'A job leaves processes behind, and its agent is told to stop before the job is released',
    endpoint: 'agent',
    bound: 'they end with the agent',
  },
  'job-scripts': {
    attack:
      'Somebody looks for scripts, variables and workspaces of a job, during and after its steps',
    endpoint: 'files of the agent',
    bound: 'scripts go with their step, and only the user of the job reads the others',
  },
  'job-token': {
    attack: 'A step reads the token of its agent where the system shows it',
    endpoint: '/proc of `tutti agent`',
    bound: 'neither the environment nor the arguments of the agent have it',
  },
  'job-users': {
    attack:
      'A job on an agent of root reads what belongs to the agent and to other jobs, and leaves processes and files',
    endpoint: 'agent, --user-per-job',
    bound: 'it may not, and nothing of it is left',
  },
  // 10. Paths of workflow commands.
  'attach-outside': {
    attack: 'A step prints the absolute path of a foreign file, or one with ..',
    endpoint: '::attach, ::upload',
    bound: 'no byte of it leaves the machine, and the log of the run says how to allow it',
  },
  'attach-link': {
    attack:
      'A step prints the path of a link in its workspace to a foreign file, or through a linked directory',
    endpoint: '::attach, ::upload',
    bound: 'no byte of it leaves the machine',
  },
  'put-outside': {
    attack: 'A step prints a target outside of its workspace, also through links',
    endpoint: '::put, ::download',
    bound: 'no file outside is made or changed, and the log of the run says how to allow it',
  },
  'paths-allowed': {
    attack: 'A workflow moves files of a directory that the agent allows',
    endpoint: '::attach, ::put',
    bound: 'they move, as files of the workspace do, also by absolute paths',
  },
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
  'network-away': {
    attack: 'The network of an agent is away for longer than its connections may be broken',
    endpoint: 'GET and POST /agents/{agent_id}',
    bound: 'its step goes on, its output is whole, and no other job goes to it meanwhile',
  },
  'network-away-too-long': {
    attack: 'The network of an agent does not come back',
    endpoint: 'GET /agents/{agent_id}',
    bound: 'its step fails after agents.absenceSeconds, and says so',
  },
  // 16. Health and damaged data.
  // 17. Connections and headers.
  // 18. Defaults and TLS.
} as const satisfies Record<string, Attack>;
