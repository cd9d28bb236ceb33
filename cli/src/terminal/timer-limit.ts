/** What timers can wait, about 25 days. Longer ones are over at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
