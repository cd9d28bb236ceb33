/** Kinds of workers on a run, by their ids. */

/** What ids of workers that make insights begin with: they read what others find out, and add nothing to it. */
const INSIGHT_WORKER = 'insightcollector-';

export const insightWorkerId = (requestId: string): string => `${INSIGHT_WORKER}${requestId}`;

export const isInsightWorker = (workerId: string): boolean => workerId.startsWith(INSIGHT_WORKER);
