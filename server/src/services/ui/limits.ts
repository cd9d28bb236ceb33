/** Limits of sessions in browsers, each with the reason for its number. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const SESSION_LIMITS = {
  /** The longest session: a working day, with its breaks. */
  lifeMs: 12 * HOUR_MS,
  /** A session that was not used for so long has ended: a night. */
  unusedMs: 8 * HOUR_MS,
  /** The use of a session is written at most once in this time. */
  useMs: 10 * MINUTE_MS,
  /** Sessions of one subject. A further one ends the one that was unused for longest. */
  ofSubject: 20,
  /** All sessions. They are read at each sign-in. */
  all: 10_000,
} as const;

export const CODE_LIMITS = {
  /** A browser that a command opens is there within seconds. */
  lifeMs: MINUTE_MS,
  /** A code ends with its first use, so these change nothing. */
  unusedMs: MINUTE_MS,
  useMs: MINUTE_MS,
  /** Codes of one subject that nobody has used yet. */
  ofSubject: 10,
  /** All codes. They are read with each new one. */
  all: 1_000,
} as const;

/** The requests need no body. Some programs send an empty document. */
export const UI_BODY_BYTES_MAX = 16;
