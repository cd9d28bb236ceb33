/** A store that hands everything on to another one. */
import type { Store } from './store.ts';

/** For stores that do some things differently: `{ ...delegated(store), events: ... }`. */
export function delegated(store: Store): Store {
  return {
    append: (append) => store.append(append),
    write: (write) => store.write(write),
    expectWrites: () => store.expectWrites(),
    workflow: (id) => store.workflow(id),
    workflows: () => store.workflows(),
    liveWorkflowIds: () => store.liveWorkflowIds(),
    surplusWorkflowIds: (surplus) => store.surplusWorkflowIds(surplus),
    events: (...query) => store.events(...query),
    history: (...query) => store.history(...query),
    firstEvents: (...query) => store.firstEvents(...query),
    log: (...query) => store.log(...query),
    attachment: (...query) => store.attachment(...query),
    jobs: (id) => store.jobs(id),
    testCases: (...query) => store.testCases(...query),
    testCaseManifests: (...query) => store.testCaseManifests(...query),
    testCaseSummary: (id) => store.testCaseSummary(id),
    brokenReports: (...query) => store.brokenReports(...query),
    earlierExecutions: (...query) => store.earlierExecutions(...query),
    documents: (collection) => store.documents(collection),
    document: (...query) => store.document(...query),
    outbox: (...query) => store.outbox(...query),
    outboxBody: (position) => store.outboxBody(position),
    outboxBytes: (position) => store.outboxBytes(position),
    watchOutbox: (watch) => store.watchOutbox(watch),
    outboxSurplus: (...query) => store.outboxSurplus(...query),
    outboxSubscriptions: () => store.outboxSubscriptions(),
    outboxSizes: () => store.outboxSizes(),
    figures: () => store.figures(),
    forget: (ids) => store.forget(ids),
    forgetExecutions: (before) => store.forgetExecutions(before),
    close: () => store.close(),
  };
}
