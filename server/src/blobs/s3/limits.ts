/** Every bound of the store in a bucket, with the reason for its number. */
const MIB = 1024 * 1024;

export const BUCKET_LIMITS = {
  /** Content that is one request. All services take parts of this size, and 10 000 of them are 78 GiB. */
  partBytes: 8 * MIB,
  /** Parts of one file under way at a time. A third one is filled meanwhile. */
  partsUnderWay: 2,
  /** Distance between two parts under way. */
  partsAhead: 4,
  /** Content that needs no part: most files are smaller than a piece of a connection. */
  smallBytes: 64 * 1024,
  /** Memory of all parts, and of the parts of one run. */
  partsBytes: 256 * MIB,
  runPartsBytes: 64 * MIB,
  /** Time that a file waits for room for its first part. */
  roomWaitMs: 10_000,
  /** Keys of one deletion; no service takes more. */
  deletedKeys: 1_000,
  /** Time in which a request is tried again. Our agents give up after 30 s without an answer, and then try again themselves. */
  patienceMs: 4_000,
  /** The same for work that nobody else would try again. */
  longPatienceMs: 15 * 60_000,
  /** Pauses between tries. */
  pauseMsMin: 100,
  pauseMsMax: 2_000,
  connectMs: 4_000,
  /** Silence after which a request counts as lost. */
  silenceMs: 15_000,
} as const;
