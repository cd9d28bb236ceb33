import { LIMITS } from '../runtime/limits.ts';

/** Every limit of the bus, with the reason for its number. */
export const BUS_LIMITS = {
  /** Defaults of configured limits: see there. */
  subscriptions: LIMITS.subscriptions,
  undelivered: LIMITS.undelivered,
  undeliveredBytes: LIMITS.undeliveredBytes,
  undeliveredNamespaceBytes: LIMITS.undeliveredNamespaceBytes,
  /** Memory of all subscriptions, in bytes; a server with a small heap has less. */
  subscriptionsBytes: 64 * 1024 * 1024,
  subjectShare: LIMITS.subjectShare,
  namespaceShare: LIMITS.namespaceShare,
  /** Publications on their way at the same time, over all inboxes: far below the usual 1024 file descriptors. */
  inboxRequests: 64,
  /** Time for an inbox to answer, in milliseconds; existing buses give 10 s. */
  inboxTimeoutMs: 10_000,
  /** Bytes of an inbox's answer that are read before its connection is dropped: nobody looks at it. */
  inboxAnswerBytes: 64 * 1024,
  /**
   * A body that an inbox holds in memory while it waits, in bytes: most events are shorter. Longer ones are read when they are sent. With
   * the window and the number of subscriptions this bounds what inboxes that do not answer take of memory.
   */
  heldBodyBytes: 16 * 1024,
  /** Longer bodies in memory at one time, over all inboxes, in bytes. Bodies of 4 MiB are read some at a time. */
  longBodiesBytes: 64 * 1024 * 1024,
  /** Time for the check of a new subscription to resolve the inbox's host name; each delivery checks it again. */
  resolveMs: 2_000,
  /** Holders of one subscription: more than an installation has instances behind one name. The newest are kept. */
  holders: 32,
  /** From the subscription of a plugin until it listens at its inbox. Toolkits take a second, and have a subscription for each function. */
  startMs: 30_000,
  /** Time for the check whether anybody listens at an inbox. A plugin that subscribes again waits as long. */
  probeMs: 1_000,
  /** Entries of one inbox that are held in memory. They are large at times, and one is sent at a time. */
  inboxWindow: 16,
  /** Publications in one request: the window. */
  listLength: 16,
  /** Delivered entries of one subscriber that are still stored. It may get so many again after a crash. */
  unremoved: 256,
  /** First delay after a failure; doubles with each further one. */
  retryDelayMs: 500,
  retryDelayMaxMs: 30_000,
  /** Failures in a row after which a subscription is in quarantine: about two minutes of trying. */
  failuresBeforeQuarantine: 10,
  /**
   * Tries of a publication that an inbox answers with 500. Plugins of 2023 and 2024 answer so when a handler failed. It would fail for
   * ever, and all later publications would wait. About four seconds.
   */
  attemptsAtInternalError: 4,
  /** Pause between two attempts at a subscription in quarantine. */
  quarantineProbeMs: 60_000,
  /** Events of one durable subscriber that are handled at the same time, each of another run. */
  durableConcurrency: 4,
  /** Entries of one durable subscriber in memory. A waiting run holds up the others once it has half of them. */
  durableWindow: 64,
  /** Bodies of these entries together, in bytes; a longer one is there alone. */
  durableWindowBytes: 4 * 1024 * 1024,
  /** Calls of a durable handler for one event, about 20 minutes of them. Then the event is given up and logged. */
  durableAttempts: 50,
  /** Calls of a handler that fails by a mistake of the server, which hardly passes: about two seconds. */
  durableMistakeAttempts: 3,
  /** Delivered entries removed by one write. */
  acknowledgements: 1_000,
  /** Entries of a deleted subscription removed by one write. */
  discardedEntries: 500,
  /** Pause between two searches for entries without a reader, such as those of a deleted subscription. */
  sweepMs: 60_000,
  /** Time for publications under way to end when the bus stops; interrupted ones are sent again at the next start. */
  stopGraceMs: 1_000,
} as const;

export type BusLimits = { readonly [Name in keyof typeof BUS_LIMITS]: number };
