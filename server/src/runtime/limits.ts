/**
 * Every limit of the server that is not bound to one component, with the reason for its number. Limits that an operator may
 * change are defaults here and keys of the configuration (`limits`).
 */
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

export const LIMITS = {
  /**
   * A request body that is held in memory, in bytes. Existing agents post the whole output of a step as one JSON document:
   * 16 MiB are about 200 000 lines.
   */
  bodyBytes: 16 * MIB,
  /** Limits for reading and dropping a refused body, in bytes and seconds: senders read the refusal only after sending everything. */
  droppedBodyBytes: 128 * MIB,
  droppedBodySeconds: 10,
  /**
   * Memory of all bodies in bytes, except requests for runs. A body counts from its second piece until the answer. Posts of
   * agents have the same limit again.
   */
  bodiesBytes: 256 * MIB,
  /**
   * Lowest rate of a body in bytes per second, and the time it may be slower, in seconds. A modem is faster. Uploads of files
   * have no total limit and may pause longer: nobody wants to repeat gigabytes.
   */
  bodyBytesPerSecond: 4 * KIB,
  bodyWindowSeconds: 30,
  fileBodyWindowSeconds: 40,
  /** Timeout for a body in memory, in seconds: 64 MiB, the largest post of an agent, at 1 Mbit/s. */
  bodySeconds: 600,
  /** A form, which may have files, gets a second more per this number of bytes: a gigabyte in 18 hours. */
  formBytesPerSecond: 16 * KIB,
  /** Limit of concurrent bodies that take longer than a second, except those of agents. */
  bodiesComing: 4_000,
  /** Share of a limit for one subject and one namespace: four that want all get equal parts. */
  subjectShare: 0.25,
  namespaceShare: 0.5,
  /** Limit for one attachment or resource file, in bytes; files stream, so this guards the disk and not the memory. */
  fileBytes: 5 * GIB,
  /**
   * Limit of live runs, including waiting ones. Each takes some 11 KiB of memory. This many take 1.6 GiB, too much for a machine with less
   * than 4 GiB.
   */
  runs: 150_000,
  /**
   * Time that an accepted run may wait for runs before it, in seconds. It holds while agents are present and the server is busy. It accepts
   * as many runs as it recently ended in that time. Users call ten seconds a standstill; the rest is reserve, such as for other processes
   * on the machine.
   */
  waitWhenBusySeconds: 4,
  /** Least number of runs that a busy server accepts. It ends several hundred in a second, but the rate is unknown at first. */
  runsWhenBusy: 1_000,
  /**
   * Requests for runs that a busy server holds before it reads them, and the longest wait in milliseconds. A delayed sender need
   * not be refused.
   */
  startsHeld: 1_000,
  startsHeldMs: 4_000,
  /** Requests for runs that are read, checked and stored at one time, and their memory in total, in bytes. */
  startsAtOnce: 2_000,
  startsBytes: GIB,
  /** Limit for the events of one run as JSON, in bytes; beyond it the run is canceled. Its projections take about as much again. */
  runBytes: 16 * GIB,
  /** Registered agents: some 30 KiB each, half of it for connections. */
  agents: 20_000,
  /** Subscriptions with an inbox; each costs a selector test per event of its kind. */
  subscriptions: 1_000,
  /** Publications that wait for one inbox. More means that the inbox was down for days without notice. */
  undelivered: 100_000,
  /** The same in bytes: some 60 of the longest publications, or as many usual ones as `undelivered`. */
  undeliveredBytes: 256 * MIB,
  /**
   * Limit for publications that wait for the inboxes of one namespace, in bytes. Disks of 10 GiB hold several namespaces. Inboxes
   * for all namespaces share one limit of the same size.
   */
  undeliveredNamespaceBytes: GIB,
  /** Answers that stay open, events and logs together; each takes some 50 KiB while nothing happens. */
  followers: 1_000,
  /** Limit for followers of all publications; each costs a selector test per publication. */
  publicationReaders: 100,
  /** Limit for waiting publications as JSON, in characters; readers of the same one share it. More are dropped and counted. */
  waitingPublicationsLength: 4 * MIB,
  /** Time that a readiness report is shared: one small write a second, for any number of requests. */
  readinessSharedMs: 1_000,
  /** Timeout of a readiness check. Most clients wait for ten seconds. */
  readinessLateMs: 5_000,
  /** Time that the first request waits for the check of all pages, which takes longer for a large database. */
  readinessPagesMs: 500,
  /**
   * Time that a request waits for a database to store its change, in seconds: clients give up a little later. Then the interval of that
   * check.
   */
  changeSeconds: 10,
  changeLookMs: 250,
  /** Changes that were answered so, and of which nobody knows yet what becomes of them. Each may keep a body of 64 KiB. */
  unknownChanges: 2_000,
  /** TLS connections during their handshake, in total and from one address. A handshake takes some milliseconds. */
  handshakes: 1_000,
  handshakesOfAddress: 100,
  /** Timeout of a handshake: even a slow line needs a second or two. */
  handshakeSeconds: 10,
  /** Shortest interval between two checks of the certificate files; a new connection triggers one. */
  tlsLookMs: 1_000,
  /** Open connections: an agent has two, which makes twice the number of agents and some. */
  connections: 50_000,
  /**
   * Share of the connections that one address may open without a token, and their minimum. Thousands of agents behind one address
   * may return together. Then the idle timeout of such a connection, in seconds.
   */
  anonymousShare: 0.25,
  anonymousMin: 100,
  anonymousIdleSeconds: 30,
  /** Requests of one connection without an answer: existing clients wait for each, and one packet has room for thousands. */
  unansweredRequests: 4,
  /** Timeout for the head of a request, which is mostly one packet; then the interval of that check. */
  headSeconds: 30,
  headLookMs: 5_000,
  /** Idle timeout of other connections, in seconds: longer than a held request, which is idle, too. */
  idleConnectionSeconds: 120,
  /** Parts of a multipart request: a manifest, variables, inputs and 253 files. */
  multipartParts: 256,
  /** The `variables` or `inputs` of a run, in bytes; an environment of a process rarely may have more. */
  linesBytes: MIB,
  /** Files that the server fetches for one workflow, and the timeout for all of them, in seconds. */
  fetchedFiles: 32,
  fetchSeconds: 60,
  /** A bearer token, in bytes. Node accepts headers of 16 KiB in all. */
  tokenBytes: 8 * KIB,
  /** Verified tokens that are remembered: one per agent and person; each takes less than 10 KiB. */
  verifiedTokens: 2_000,
  /** Default and largest number of items of one page (specification part 8). */
  perPageDefault: 100,
  perPageMax: 1_000,
  /** Longest time to hold a request, in seconds: existing operators give up after 60. */
  heldRequestSeconds: 60,
  /** Default time after which a refused client may retry, in seconds. */
  retryAfterSeconds: 5,
  /** The same while the database is away. Agents come back 1 to 1.5 s later, so runs go on within two seconds. */
  retryAfterDatabaseSeconds: 1,
  /** The same for a full disk: the operator has to make room first. */
  retryAfterFullDiskSeconds: 10,
  /** Time that a stopping server waits for requests: operators expect its end within ten seconds. */
  stopRequestsSeconds: 8,
} as const;
