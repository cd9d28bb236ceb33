/** Longest delay of a timer, about 25 days. Longer delays end at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
