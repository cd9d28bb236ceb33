/** The bounds of replicas, each named. */
export const CLUSTER_LIMITS = {
  /** Pause between two heartbeats, in milliseconds. */
  beatMs: 500,
  /** A heartbeat that takes longer shows a slow database, and says nothing about other replicas. In milliseconds. */
  beatLateMs: 1_000,
  /** Heartbeats of an observer in which another replica shows no sign of life. It then counts as dead. */
  silentBeats: 4,
  /** Without a heartbeat for so long, the active replica lets requests wait. Others take over after `silentBeats` pauses. In milliseconds. */
  sureMs: 1_900,
  /** Without a heartbeat for so long, the replica is not ready. In milliseconds. */
  readyMs: 2_000,
  /** Time for a connection to the database, and for one statement of a heartbeat, in milliseconds. Less than others wait for a heartbeat. */
  databaseMs: 1_000,
  /** Time for a takeover, which waits for the last batch of the dead replica, in milliseconds. */
  takeoverMs: 15_000,
  /** Time that a request waits for an active replica, in milliseconds. Then it is refused. */
  patienceMs: 10_000,
  /** Pause before a request that was refused by a replica goes to the active one of then, in milliseconds. */
  againMs: 50,
  /** Time for a connection to another replica, and for its answer to a message, in milliseconds. */
  connectMs: 2_000,
  /** Time for the next active replica to read the live runs before a hand-over, in milliseconds. Then it reads them afterwards. */
  prepareMs: 10_000,
  /** Connections to another replica that stay open while nothing is sent. */
  idleConnections: 256,
  /** Longest head of a forwarded request, in bytes: that of a client, and headers of the replica. */
  headBytes: 32 * 1024,
  /** Time that a leaving replica waits for bodies that come slowly, and then for other requests under way, in milliseconds. */
  bodiesMs: 6_000,
  underWayMs: 1_000,
  /** Time between two looks at them, in milliseconds. */
  lookMs: 10,
} as const;
