/** Limits of what access is decided by, each with the reason for its number. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const AUTH_LIMITS = {
  /** One key in PEM form, in bytes: the largest RSA keys, with a chain of certificates, take a tenth. */
  keyFileBytes: 64 * KIB,
  /** Keys of one directory; each of them is tried for a token that names none. */
  keysOfDirectory: 256,
  /** Keys of one file: as many as an authority has, several times over. */
  keysOfFile: 32,
  /** A token file or a policy file, in bytes: about 10 000 users. It is read anew whenever it changes. */
  accessFileBytes: MIB,
  /** Subject of a token, in characters: each event that the token causes has it. */
  subjectLength: 256,
  /** The id of a key, in characters; a key with a longer one is named by its fingerprint. */
  keyIdLength: 256,
  /** Mistakes of one file that are told at once. */
  problemsTold: 10,
  /** How often files are looked at for changes, and only when there are requests: a change counts within a second. */
  fileCheckMs: 1_000,
  /** A key set, in bytes and in keys: authorities have two to ten. */
  keySetBytes: 256 * KIB,
  keySetKeys: 100,
  /** How long keys of a set are used without asking again, so that a key that was withdrawn ends then. */
  keySetFreshMs: 10 * 60_000,
  /** The least time between two requests to an authority, whatever tokens arrive. */
  keySetRetryMs: 30_000,
  /** One fetch, with its redirects, in milliseconds: those who wait for it are people at their first request. */
  keySetTimeoutMs: 5_000,
  keySetRedirects: 3,
} as const;
