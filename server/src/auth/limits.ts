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
  /** Mistakes of one file that are logged at once. */
  problemsMax: 10,
  /** Pause between two checks of the files while a server runs. A change counts within a second, also on a busy server. */
  fileCheckMs: 500,
  /** Single tokens that are revoked and have not expired: some per day of a year. To revoke more, give the server a new key. */
  revokedTokens: 10_000,
  /** The list of revoked tokens, in bytes: an entry has some 200. */
  revokedFileBytes: 8 * MIB,
  /** Time that an entry stays after the end of its token. A clock that is set back makes the token valid again. */
  revokedGraceMs: 7 * 24 * 3_600_000,
  /** Tokens that are verified again at a time when keys change: the event loop has other work in between. */
  checkedAtOnce: 16,
  /** A key set, in bytes and in keys: authorities have two to ten. */
  keySetBytes: 256 * KIB,
  keySetKeys: 100,
  /** Time that keys of a set are used without asking again, so that a withdrawn key ends then. */
  keySetFreshMs: 10 * 60_000,
  /** The least time between two requests to an authority, whatever tokens arrive. */
  keySetRetryMs: 30_000,
  /** One fetch, with its redirects, in milliseconds: people wait for it at their first request. */
  keySetTimeoutMs: 5_000,
  keySetRedirects: 3,
} as const;
