/** The bounds of copying and checking data, each named. */
export const RECOVERY_LIMITS = {
  /** Pages of 4 KiB that are copied in one step; a running server gets the disk in between. */
  copiedPages: 256,
  /** How long a copy waits for a server that removes files of old runs, in milliseconds: it does so for 500 runs at a time. */
  filesLockWaitMs: 30_000,
  /** How often it looks meanwhile, in milliseconds; it can be asked to stop in between. */
  filesLockTryMs: 50,
  /** Findings of one check that are told; a disk that lost its files would have as many as there were files. */
  findingsTold: 100,
  /** How long to wait for a server that is about to stop, in milliseconds. */
  serverLockWaitMs: 1_000,
} as const;
