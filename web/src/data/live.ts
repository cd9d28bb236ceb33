/** How the page stays up to date: it asks again, and knows since when it got no answer. */

/** Options of queries whose answers change by themselves. */
export const LIVE = { refetchInterval: 3_000 } as const;
