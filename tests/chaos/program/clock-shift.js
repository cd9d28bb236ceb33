/**
 * Loaded before a server: it finds another time of day. `TUTTI_CHAOS_CLOCK_MS` is how far from the true one. What measures how long
 * something takes is left alone, as by a clock that somebody sets. Plain JavaScript, as it is loaded in threads, too.
 */
const offsetMs = Number(process.env.TUTTI_CHAOS_CLOCK_MS ?? 0);
const TrueDate = Date;

if (offsetMs !== 0) {
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offsetMs });
  globalThis.Date = class ShiftedDate extends TrueDate {
    constructor(...parts) {
      if (parts.length === 0) super(TrueDate.now() + offsetMs);
      else super(...parts);
    }

    static now() {
      return TrueDate.now() + offsetMs;
    }
  };
}
