/** Kinds of workers on a run, by their ids. */

/** Ids of workers that make insights begin with this. They only read results of other workers. */
const INSIGHT_WORKER = 'insightcollector-';

export const insightWorkerId = (requestId: string): string => `${INSIGHT_WORKER}${requestId}`;

export const isInsightWorker = (workerId: string): boolean => workerId.startsWith(INSIGHT_WORKER);
