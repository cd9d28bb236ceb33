/** The bounds of copying and checking data, each named. */
export const RECOVERY_LIMITS = {
  /** Pages of 4 KiB that are copied in one step; a running server gets the disk in between. */
  copiedPages: 256,
  /** Milliseconds that a copy waits for a server that removes files of old runs, 500 runs at a time. */
  filesLockWaitMs: 30_000,
  /** Milliseconds between two tries to get the lock; the copy can be stopped in between. */
  filesLockTryMs: 50,
  /** Findings of one check that are listed. A disk that lost its files would have as many as there were files. */
  findingsShown: 100,
  /** Milliseconds to wait for a server that is about to stop. */
  serverLockWaitMs: 1_000,
} as const;
