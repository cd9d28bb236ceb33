/** The contract of the store port as tests; every implementation runs them (see `StoreTarget`). */
import { describe } from 'vitest';
import { describeAppends } from './conformance/append-suite.ts';
import { describeCauses } from './conformance/causes-suite.ts';
import { describeEarlierExecutions } from './conformance/earlier-executions-suite.ts';
import { describeLifeCycle } from './conformance/life-cycle-suite.ts';
import { describeLogs } from './conformance/log-suite.ts';
import { describeRecords } from './conformance/record-suite.ts';
import { describeRuns } from './conformance/run-suite.ts';
import { createStoreTest, type StoreTarget } from './conformance/store-target.ts';
import { describeSummaries } from './conformance/summary-suite.ts';
import { describeTestHistory } from './conformance/test-history-suite.ts';

export type { StoreTarget } from './conformance/store-target.ts';

export function describeStore(name: string, target: StoreTarget): void {
  describe(name, () => {
    const storeTest = createStoreTest(target);
    describeAppends(storeTest);
    describeRuns(storeTest);
    describeSummaries(storeTest);
    describeLogs(storeTest);
    describeRecords(storeTest);
    describeEarlierExecutions(storeTest);
    describeTestHistory(storeTest);
    describeCauses(storeTest);
    describeLifeCycle(storeTest, target);
  });
}
