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
  /**
   * How much of a refused body is read and dropped before the answer, in bytes and in seconds: a sender hears of its mistake
   * only after it has sent everything.
   */
  droppedBodyBytes: 128 * MIB,
  droppedBodySeconds: 10,
  /**
   * What bodies hold in memory in all, in bytes, those of requests for runs apart: from the second piece that comes to the answer. Posts
   * of agents hold as much again.
   */
  bodiesBytes: 256 * MIB,
  /**
   * What a body must bring, in bytes per second, and for how long it may bring less, in seconds. A modem does. Uploads of files may
   * take any time, and may stand still for longer: nobody wants to begin again with gigabytes.
   */
  bodyBytesPerSecond: 4 * KIB,
  bodyWindowSeconds: 30,
  fileBodyWindowSeconds: 40,
  /** How long a body that is held in memory may take, in seconds: 64 MiB, the most that agents post, over 1 Mbit/s. */
  bodySeconds: 600,
  /** A form may take a second more for so many bytes, as it may have files: a gigabyte in 18 hours. */
  formBytesPerSecond: 16 * KIB,
  /** Bodies that come at one time and take longer than a second, those of agents apart. */
  bodiesComing: 4_000,
  /** The part of a limit that one subject and one namespace may have: of four that want all, each gets its part. */
  subjectShare: 0.25,
  namespaceShare: 0.5,
  /** One attachment or resource file, in bytes; files stream, so this guards the disk and not the memory. */
  fileBytes: 5 * GIB,
  /**
   * Runs that are not over, waiting ones among them, at one time. Each takes some 11 KiB of memory: this many take 1.6 GiB, which a
   * machine with less than 4 GiB has not.
   */
  runs: 150_000,
  /**
   * How long a run that is accepted waits for others before it, in seconds, while there are agents and the server has more to do than it
   * can: it accepts as many as it ended in that time of late. People take ten seconds for a standstill; the rest is for what
   * nobody can foresee, such as others who take the processor.
   */
  waitWhenBusySeconds: 4,
  /** So many it has in any case: it ends several hundred in a second, but nobody knows yet how many when the first ones come. */
  runsWhenBusy: 1_000,
  /**
   * Requests for runs that such a server holds before it reads them, until there is room or they waited so long, in milliseconds: a
   * sender that is slowed down need not be refused.
   */
  startsHeld: 1_000,
  startsHeldMs: 4_000,
  /** Requests for runs that are read, checked and stored at one time, and what they hold in memory in all, in bytes. */
  startsAtOnce: 2_000,
  startsBytes: GIB,
  /** Events of one run, as JSON, in bytes; then it is canceled. What is shown of them takes about as much again. */
  runBytes: 16 * GIB,
  /** Agents that are registered at one time: some 30 KiB each, of which half is connections. */
  agents: 20_000,
  /** Subscriptions with an inbox; each costs a selector test per event of its kind. */
  subscriptions: 1_000,
  /** Publications that wait for one inbox. More than this is days of an inbox that nobody misses. */
  undelivered: 100_000,
  /** The same in bytes: some 60 of the longest publications, or as many of the usual ones as `undelivered`. */
  undeliveredBytes: 256 * MIB,
  /**
   * What waits for all inboxes that reach one namespace, in bytes. Disks of 10 GiB hold this for several namespaces. Inboxes that reach
   * all namespaces have a bound of the same size together.
   */
  undeliveredNamespaceBytes: GIB,
  /** Answers that stay open, events and logs together; each takes some 50 KiB while nothing happens. */
  followers: 1_000,
  /** Of them those that show all publications as they pass; each costs a selector test per publication. */
  publicationReaders: 100,
  /** What waits for one of these, as JSON, in characters: readers of the same share it. What is more is left out, and counted. */
  waitingPublicationsLength: 4 * MIB,
  /** Reports of readiness are shared for so long: one small write a second, however often somebody asks. */
  readinessSharedMs: 1_000,
  /** A check of readiness that takes longer fails. Those who ask wait for ten seconds, mostly. */
  readinessLateMs: 5_000,
  /** How long who asks first waits for the check of all pages, which takes longer for a large database. */
  readinessPagesMs: 500,
  /** TLS connections whose handshake has not ended, in total and from one address. A handshake takes some milliseconds. */
  handshakes: 1_000,
  handshakesOfAddress: 100,
  /** A handshake that takes longer is given up: also a slow line needs a second or two. */
  handshakeSeconds: 10,
  /** How often the files of the certificate are looked at, at most: with the next connection. */
  tlsLookMs: 1_000,
  /** Open connections: an agent has two, which makes twice the number of agents and some. */
  connections: 50_000,
  /**
   * The part of the connections that one address may have open without a token, and so many in any case: thousands of agents behind one
   * address may come back at one time. How long such a connection may bring nothing, in seconds.
   */
  anonymousShare: 0.25,
  anonymousMin: 100,
  anonymousIdleSeconds: 30,
  /** How long the head of a request may take: it is one packet, mostly. How often the connections are looked at for that. */
  headSeconds: 30,
  headLookMs: 5_000,
  /** How long nothing may move on other connections, in seconds: longer than a request is held, as nothing moves meanwhile. */
  idleConnectionSeconds: 120,
  /** Parts of a multipart request: a manifest, variables, inputs and 253 files. */
  multipartParts: 256,
  /** The `variables` or `inputs` of a run, in bytes; an environment of a process rarely may have more. */
  linesBytes: MIB,
  /** Files that one workflow has the server fetch, and how long that may take for all of them, in seconds. */
  fetchedFiles: 32,
  fetchSeconds: 60,
  /** A bearer token, in bytes. Node accepts headers of 16 KiB in all. */
  tokenBytes: 8 * KIB,
  /** Verified tokens that are remembered: one per agent and person; each takes less than 10 KiB. */
  verifiedTokens: 2_000,
  /** Items of one page when the request names no number, and at most (specification part 8). */
  perPageDefault: 100,
  perPageMax: 1_000,
  /** How long a request may be held, in seconds: existing operators give up after 60. */
  heldRequestSeconds: 60,
  /** When a client that was refused may try again, in seconds, where nothing better is known. */
  retryAfterSeconds: 5,
  /** The same where a disk is full: somebody has to make room first. */
  retryAfterFullDiskSeconds: 10,
  /** How long a server that stops waits for requests: whoever stops it expects the end within ten seconds. */
  stopRequestsSeconds: 8,
} as const;
