/** Old runs leave while a server works: however many end, not many more stay than are to be kept. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';

const KEPT = 10;
/** So many more may end before anybody looks. */
const MORE = 1_000;
const AT_ONCE = 50;
/** Its only job does not run, so that it ends at once. */
const NOTHING_TO_DO = {
  metadata: { name: 'nothing to do' },
  jobs: { none: { if: 'false', 'runs-on': 'linux', steps: [sh('true')] } },
};

let bench: Workbench;

beforeEach(async () => {
  bench = await Workbench.open();
});

afterEach(() => bench.close());

test('where more runs end than are kept, the oldest leave before a minute is over', async () => {
  const server = await bench.server({ config: { retention: { runs: KEPT } } });
  for (let count = 0; count < MORE + KEPT; count += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => start(server, NOTHING_TO_DO)));
  }
  const left = await eventually('the end of old runs', async () => {
    const items = itemsOf(await server.call('GET', '/workflows'));
    return items.length <= KEPT + AT_ONCE ? items.length : null;
  });
  expect(left).toBeGreaterThanOrEqual(KEPT);
});
