/**
 * The attacks that Tutti withstands. Each row names an attack, the endpoints or parts that it aims at, and the bound that holds.
 * `attack(id, run)` makes the test of a row; `tests/structure/attacks.test.ts` holds that each row has one.
 */
export interface Attack {
  readonly attack: string;
  /** Endpoints, or the part of the product. */
  readonly endpoint: string;
  /** The limit that holds: for the victim's loss, or the attacker's gain. */
  readonly bound: string;
}

export const ATTACKS = {
  // 1. No request blocks the event loop.
  'documents-start': {
    attack: 'documents that are costly to read, check or plan',
    endpoint: 'POST /workflows',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-first': {
    attack: 'the first document after a start, which is wrong',
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
  'documents-at-once': {
    attack: 'sixty documents of a megabyte of empty texts come at one time',
    endpoint: 'POST /publications',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-output': {
    attack: 'output that is costly to read, of a job with a masked text',
    endpoint: 'POST /agents/{agent_id}',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'documents-variables': {
    attack: 'more variables than a run may have',
    endpoint: 'POST /workflows',
    bound: 'a run has 4 096 at most',
  },
  'documents-tags': {
    attack: 'jobs that ask for a thousand sets of tags, which hundreds of agents have',
    endpoint: 'POST /workflows',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'followed-events': {
    attack: 'a hundred readers follow a run, of which an event of 4 MB comes',
    endpoint: 'GET /workflows/{workflow_id}/status',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'printed-lines': {
    attack: 'a step prints two million short lines at full speed',
    endpoint: 'POST /agents/{agent_id}',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'searched-events': {
    attack: 'a dozen clients search twenty thousand events by ninety names',
    endpoint: 'GET /workflows/{workflow_id}/status',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'many-cancels': {
    attack: 'a thousand cancels over thirty connections',
    endpoint: 'DELETE /workflows/{workflow_id}',
    bound: 'no turn of the event loop takes more than 50 ms of processor time',
  },
  'requests-in-a-packet': {
    attack: 'twenty connections send two thousand requests each in one packet, without a token',
    endpoint: 'every endpoint',
    bound:
      'each is closed after the fourth, and no turn of the event loop takes more than 50 ms of processor time',
  },
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
  'half-sent-posts-of-many': {
    attack: 'Twenty subjects of one namespace stop in the middle of posts of agents',
    endpoint: 'POST /agents/{agent_id}',
    bound: 'they hold no more than the share of their namespace, and other agents post',
  },
  'half-sent-bodies': {
    attack: 'Bodies that stop half-way, of each endpoint that takes one',
    endpoint: 'every endpoint with a body',
    bound: 'each connection is closed',
  },
  'turns-of-others': {
    attack: 'sixty connections send a document that is costly to read, at one time',
    endpoint: 'POST /workflows',
    bound: 'a request of another namespace waits for few of them, not for all',
  },
  'share-of-starts': {
    attack: 'One subject sends the bodies of as many large workflows as it can, and ends none',
    endpoint: 'POST /workflows',
    bound: 'what is beyond its share is 429, and another subject starts a run',
  },
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
  'memory-events': {
    attack:
      'Many clients that read and search a workflow with many events of 4 MB, of which some never read',
    endpoint: 'GET /workflows/{workflow_id}/status',
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
  'memory-whole-answers': {
    attack: 'Hundreds of clients that ask for listings of some megabytes, and never read',
    endpoint: 'GET /subscriptions, GET /agents, GET /channels',
    bound: 'the process grows by less than 300 MB, and others go on',
  },
  'memory-orders': {
    attack: 'An agent that asks for a script of 2 MB on hundreds of connections, and never reads',
    endpoint: 'GET /agents/{agent_id}',
    bound: 'the process grows by less than 300 MB, and others go on',
  },
  'memory-test-results': {
    attack: 'Sixty test results with a text of 4 MB each, with a heap of 512 MiB',
    endpoint:
      'GET /workflows/{workflow_id}/datasources/testcases, POST /workflows/{workflow_id}/qualitygate',
    bound: 'the texts are cut, and the server reads so many at a time that they fit into memory',
  },
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
  'inbox-starts-workflows': {
    attack: 'The inbox of started workflows leads to an endpoint that starts one',
    endpoint: 'POST /workflows, POST /workflows/{workflow_id}/rerun',
    bound: 'The delivery is refused, also by another server, and no workflow starts',
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
  'publication-without-namespace': {
    attack:
      'A token of one team publishes with a namespace that is absent, no text, or not its own',
    endpoint: 'POST /publications',
    bound: 'each is refused with 403, and no inbox gets one',
  },
  'command-in-own-namespace': {
    attack: 'A token of one team publishes commands and ends of runs in its own namespace',
    endpoint: 'POST /publications',
    bound: 'each is refused with 403, as plugins of all teams would carry it out',
  },
  'result-without-right': {
    attack: 'A token that may publish answers the commands of a run',
    endpoint: 'POST /publications',
    bound: 'each answer is refused with 403, and the run goes on as if there was none',
  },
  'channels-without-right': {
    attack: 'A token that may publish tells of channels',
    endpoint: 'POST /publications',
    bound: 'it is refused with 403, and no channel is listed',
  },
  'namespace-of-run': {
    attack: 'A publication about a run claims another namespace than that of the run',
    endpoint: 'POST /publications',
    bound: 'inboxes get it with the namespace of the run',
  },
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
    endpoint: 'every endpoint with a body',
    bound: 'the connection is closed with 401, and no run starts',
  },
  'reduced-rights': {
    attack: 'A reader and an inbox keep rights that the policy file took away',
    endpoint: 'GET /workflows/{workflow_id}/status, POST /subscriptions',
    bound: 'the stream breaks off, and the inbox is suspended until the rights are back',
  },
  'reduced-commands': {
    attack: 'An inbox whose token may no longer carry out commands still gets them',
    endpoint: 'POST /subscriptions',
    bound: 'the inbox is suspended, and gets no command with its secrets',
  },
  'one-token': {
    attack: 'One token of many was stolen',
    endpoint: 'tutti tokens revoke',
    bound: 'that token alone is refused, also after a restart, and also one of a trusted key',
  },
  // 7. The server makes no request that its policy forbids.
  'forged-addresses': {
    attack: 'Forms of addresses that lead to the machine of the server or to its networks',
    endpoint: 'POST /subscriptions, POST /workflows',
    bound: 'Each is refused with the setting that would allow it, and nobody is asked',
  },
  'disguised-machine': {
    attack: 'A program of the machine hides that it names the machine',
    endpoint: 'POST /subscriptions',
    bound:
      'Only its addresses and names as they are written are taken, and of direct requests alone',
  },
  'redirected-requests': {
    attack: 'An address that may be asked redirects to one that may not, also to the server itself',
    endpoint: 'POST /workflows, POST /subscriptions, auth.keySets',
    bound: 'Nobody is asked there; inboxes and key sets of others are not followed at all',
  },
  'rebound-names': {
    attack: 'A name leads to an address that may be asked at first, and to a private one later',
    endpoint: 'POST /workflows, POST /subscriptions',
    bound:
      'Each connection goes to an address that was checked for it, and none to the private one',
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
  'job-outlived': {
    attack:
      'A job leaves daemons behind: without its environment, in sessions of their own, with all signals ignored',
    endpoint: 'agent, with marks',
    bound: 'none of them is there when the next job begins',
  },
  'job-outlived-cgroup': {
    attack: 'The same, and a storm of processes that start themselves again and end',
    endpoint: 'agent, with a cgroup',
    bound: 'none of them is there when the next job begins',
  },
  'job-cgroup-changed': {
    attack: 'A job changes its cgroup so that the list of its processes cannot be read',
    endpoint: 'agent, with a cgroup',
    bound: 'its processes end, and the next job begins',
  },
  'job-outlived-registration': {
    attack:
      'A job leaves processes behind, and its agent is told to stop before the job is released',
    endpoint: 'agent',
    bound: 'they end with the agent',
  },
  'job-slots': {
    attack: 'A job leaves daemons behind while another slot of its agent works',
    endpoint: 'agent, --slots',
    bound: 'they end with their job, and the job of the other slot goes on',
  },
  'job-slots-cgroup': {
    attack: 'The same, and a storm of processes that start themselves again and end',
    endpoint: 'agent, --slots, with a cgroup',
    bound: 'none of them is there when the jobs of all slots are over, and the other job goes on',
  },
  'job-slots-users': {
    attack: 'A job reads, changes and signals what belongs to the job of another slot of its agent',
    endpoint: 'agent, --slots, --user-per-job',
    bound: 'it may not, and the end of one job leaves the other alone',
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
  'job-user-files': {
    attack:
      'A job moves files through its own mount namespace, and of a workspace that its hooks name',
    endpoint: '::attach, ::download, --user-per-job',
    bound: 'files move with the rights of the user of the job, not with those of the agent',
  },
  'job-user-program': {
    attack: 'A job leaves a program that runs as its user, and a later job starts it',
    endpoint: 'agent, --user-per-job',
    bound: 'no process of a job becomes another user',
  },
  'job-user-killed': {
    attack: 'An agent is killed, and a job of another agent gets the user of the job that went on',
    endpoint: 'agent, --user-per-job',
    bound: 'processes and shared files of the earlier job are gone before the later one begins',
  },
  'job-user-stops': {
    attack: 'A job leaves a process that stops or kills all others of its user, again and again',
    endpoint: 'agent, --user-per-job',
    bound: 'it ends with its job, and the agent goes on',
  },
  'job-user-keys': {
    attack: 'A job leaves keys in the kernel, which outlive all processes of its user',
    endpoint: 'agent, --user-per-job',
    bound: 'no later job gets its user',
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
  'attach-pipe': {
    attack: 'A step prints the path of a foreign pipe, which another process waits to write to',
    endpoint: '::attach',
    bound: 'the agent does not open it: neither a pipe nor a device does anything for it',
  },
  'attach-leased': {
    attack: 'A step attaches a file that another process of its job keeps from being opened',
    endpoint: '::attach',
    bound: 'the agent does not wait for it, and the step fails',
  },
  'attach-swapped': {
    attack: 'A job swaps links and directories while files move',
    endpoint: '::attach, ::download',
    bound: 'what moves is of the workspace, whenever the links change',
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
  'wrapped-secrets': {
    attack:
      'A step prints a long secret in lines of Base64, of digits and of text, and in a report with colour codes',
    endpoint: 'logs, events, inboxes, data sources',
    bound: 'nobody reads sixteen bytes of it in a row',
  },
  // 12. Shares of namespaces and subjects.
  'full-queue': {
    attack: 'A namespace queues many runs for the only agent',
    endpoint: 'POST /workflows, scheduling',
    bound: 'namespaces take turns: a later run of another one starts after one job',
  },
  'full-queue-elsewhere': {
    attack: 'The same, while the other namespace has a long job on an agent of its own',
    endpoint: 'POST /workflows, scheduling',
    bound: 'namespaces take turns: only agents that could run a job count for its namespace',
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
  'all-gate-waits': {
    attack: 'One subject has as many quality gates wait for test results as it can',
    endpoint: 'GET /workflows/{workflow_id}/qualitygate',
    bound: 'what is beyond its share is answered at once, and another subject waits',
  },
  'all-insight-requests': {
    attack: 'One subject asks for insights of a run that goes on as often as it can',
    endpoint: 'POST /workflows/{workflow_id}/insights',
    bound: 'it gets its share, then 429; others get theirs',
  },
  'all-agents': {
    attack: 'One namespace registers as many agents as it can',
    endpoint: 'POST /agents',
    bound: 'it gets its share, then 429; others register',
  },
  'all-runs': {
    attack: 'One namespace starts as many runs as it can, which all wait',
    endpoint: 'POST /workflows',
    bound: 'it gets its share, then 429, also after a restart; others start runs',
  },
  // 13. The actor.
  'forged-actor': {
    attack: 'A publication and a workflow name somebody else as their actor',
    endpoint: 'POST /publications, POST /workflows',
    bound: 'the events name the subject and the key of the token',
  },
  'forged-source': {
    attack: 'A cancellation names somebody else as its source',
    endpoint: 'DELETE /workflows/{workflow_id}, POST /publications',
    bound: 'events, execution log and command line name the subject of the token',
  },
  'taken-over-group': {
    attack: 'A run takes the concurrency group of another one over, and so ends it',
    endpoint: 'POST /workflows',
    bound: 'the events of the end name the subject and the key of the token that started the run',
  },
  'change-without-actor': {
    attack: 'A bearer changes things in all ways there are, and denies it',
    endpoint: 'all that change something',
    bound: 'each event names the token, and the log of the server has a line for each change',
  },
  'hostile-subject': {
    attack: 'A subject has line breaks, escape sequences and characters that turn the direction',
    endpoint: 'the log of the server, the execution log, the command line',
    bound: 'they are escaped',
  },
  // 14. Rights.
  'commands-without-right': {
    attack:
      'A token that may subscribe asks for commands by their kinds, and subscribes the inbox of a plugin again',
    endpoint: 'POST /subscriptions',
    bound: 'its inbox gets commands without secrets, and the plugin gets them as before',
  },
  'cancellation-without-right': {
    attack: 'A token that may publish cancels a run by a publication',
    endpoint: 'POST /publications',
    bound: 'it is refused with 403, and the run goes on',
  },
  'error-without-right': {
    attack: 'A token that may publish ends a run by an error',
    endpoint: 'POST /publications',
    bound: 'it is refused with 403, and the run goes on',
  },
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
  'often-asked-readiness': {
    attack: 'Two hundred clients ask for the readiness at the same time, again and again',
    endpoint: 'GET /health?ready',
    bound: 'the server writes and looks once a second at most, and /health writes nothing',
  },
  'failing-writes': {
    attack: 'Writes to the store fail',
    endpoint: 'GET /health?ready',
    bound: '503 names the failing check and what to do, and 200 comes back with the writes',
  },
  'full-disk-readiness': {
    attack: 'The disk of the data directory fills up',
    endpoint: 'GET /health?ready',
    bound: '503 names the disk and what to do',
  },
  'damaged-pages': {
    attack: 'Garbage lies over pages of the database',
    endpoint: 'GET /health?ready, GET /workflows',
    bound: '503 names the damaged pages, and the log says it once somebody meets one',
  },
  'garbage-in-the-log': {
    attack:
      'Garbage lies in the middle of the write-ahead log of a killed server with 200 confirmed runs',
    endpoint: 'start, tutti doctor, tutti backup, GET /metrics',
    bound:
      'the start reports and keeps the damaged log, the doctor counts it, no backup is made of it',
  },
  'killed-while-writing': {
    attack: 'A server is killed twenty times while it stores runs',
    endpoint: 'start',
    bound: 'each confirmed run is there, and no start reports a damaged log',
  },
  'deleted-files': {
    attack: 'The files of an attachment, an upload and a resource of a run are deleted',
    endpoint: 'tutti doctor',
    bound: 'it names each of them, and lists what it did not check',
  },
  'unsafe-modes': {
    attack: 'Others may read each key, token, list of tokens, database file and directory',
    endpoint: 'tutti doctor',
    bound: 'it names each of them',
  },
  'foreign-owners': {
    attack: 'Another account owns the key, the token, the database or a directory',
    endpoint: 'tutti doctor',
    bound: 'it names each of them, and both accounts',
  },
  'broken-revocations': {
    attack: 'The list of revoked tokens is damaged',
    endpoint: 'tutti doctor',
    bound: 'it says so',
  },
  // 17. Connections and headers.
  'silent-connections': {
    attack:
      'One address opens connections and sends nothing, half of a head, or a byte of a head now and then',
    endpoint: 'every port, with TLS and without',
    bound: 'it has a part of the connections; each is closed after half a minute',
  },
  'kept-refusals': {
    attack:
      'A connection asks without a token, as a page asks for permission, or sends what is no request, and stays',
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
    attack:
      'Somebody reads the output of a command whose server address has a password, or a token in its query',
    endpoint: 'the command line and the agent',
    bound: 'neither is in it',
  },
  // 18. Defaults and TLS.
  'listening-in': {
    attack: 'Somebody between client and server reads what is sent',
    endpoint: 'curl, openssl, Python, tutti, agent',
    bound:
      'with tls.cert all of them speak TLS 1.2 or later with the server, and check its certificate',
  },
  'plain-to-tls': {
    attack: 'A client sends its token by plain HTTP to the port of TLS',
    endpoint: 'every port of the server',
    bound: 'it gets 400 with a sentence, no request is carried out, and the next client is served',
  },
  'old-tls': {
    attack: 'A client offers TLS 1.1 at most',
    endpoint: 'every port of the server',
    bound: 'the handshake fails',
  },
  'no-client-certificate': {
    attack:
      "A client has the administrator's token, and no certificate or one of another authority",
    endpoint: 'every endpoint, with tls.clientCa',
    bound: 'the handshake fails; a certificate without a token is 401',
  },
  'broken-certificate': {
    attack:
      'The files of the certificate are replaced by garbage, by a key of another one, and removed',
    endpoint: 'every port of the server',
    bound:
      'the earlier pair stays, the log says it once, and a good pair counts with the next connection',
  },
  'endless-handshakes': {
    attack: 'An address opens connections by the hundred, and ends no handshake',
    endpoint: 'every port of the server',
    bound: 'it has a hundred of them for ten seconds at most, and others are served',
  },
  'kept-at-stop': {
    attack: 'Connections of a TLS server stay open while it stops',
    endpoint: 'every port of the server',
    bound: 'the server ends: idle connections at once, all others after eight seconds',
  },
  'unsafe-defaults': {
    attack: 'An operator serves plain HTTP on a public address, or as root',
    endpoint: 'start of the server and of the agent',
    bound: 'one line of the log for each says what to do',
  },
  'session-of-another-page': {
    attack: 'A form, a script or a frame of another page uses the session of a browser',
    endpoint: 'every endpoint, with the cookie of a session',
    bound: 'the cookie does not count: 401, and nothing was done',
  },
  'session-of-a-rebound-name': {
    attack: 'A page whose host name was made to lead to the server asks as its own page',
    endpoint: 'every endpoint, with auth.insecureLogin; POST /ui/session',
    bound: 'it needs a token, and cannot sign in over plain HTTP',
  },
  'session-code-again': {
    attack: 'A code that signed in is used again, by two at a time, or is guessed',
    endpoint: 'POST /ui/session',
    bound: 'it signs in once; everyone else gets 401',
  },
  'session-stolen-store': {
    attack: 'Somebody reads a copy of the data directory while sessions exist',
    endpoint: 'the documents of the store',
    bound: 'it has neither the token nor the secret of the cookie',
  },
  'session-after-its-token': {
    attack: 'A session and its open stream go on after their token was revoked, or they signed out',
    endpoint: 'every endpoint, with the cookie of a session',
    bound: 'the next request is 401, and the stream is closed within two seconds',
  },
  'session-flood': {
    attack: 'A token signs in by the dozen',
    endpoint: 'POST /ui/session, POST /ui/codes',
    bound: 'its subject keeps its newest 20 sessions and 10 codes; others keep theirs',
  },
} as const satisfies Record<string, Attack>;
