/** A step that prints much, whose server or agent is killed while batches of its output are under way. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ended, logOf, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const LINES = 60_000;
const FILL = 'x'.repeat(150);
const PRINTS = sh(`seq -f '%.0f ${FILL}' ${LINES}`);
/** The step of an agent that stays away for longer is given up. */
const AWAY_SECONDS = 3;
const PATIENCE = { withinMs: 240_000 };

let bench: Workbench;

beforeAll(async () => {
  bench = await Workbench.open();
});

afterAll(() => bench.close());

/** The numbers of the lines that the log has, as it has them. */
async function printedIn(server: ServerChild, id: string): Promise<readonly number[]> {
  const log = await logOf(server, id);
  return Array.from(log.matchAll(/\] +(\d+) x{150}$/gm), ([, number]) => Number(number));
}

/** Not compared as lists, which would be told whole. */
function expectEachOnce(numbers: readonly number[], count: number): void {
  const wrong = numbers.findIndex((number, index) => number !== index + 1);
  expect([numbers[wrong], numbers.length]).toEqual([undefined, count]);
}

const hasPrinted = (server: ServerChild, id: string, count: number) =>
  eventually(
    `${count} lines in the log`,
    async () => (await printedIn(server, id)).length > count,
    PATIENCE,
  );

test('a server that is killed twice meanwhile has each line once, in order', async () => {
  const first = await bench.server();
  await bench.agent(first, { tags: ['linux'] });
  const port = Number(new URL(first.url).port);
  const again = () => bench.server({ dataDir: first.dataDir, port });
  const id = await start(first, oneJob('prints', [PRINTS]));
  await hasPrinted(first, id, 1);
  await first.child.kill('SIGKILL');
  const second = await again();
  await hasPrinted(second, id, LINES / 10);
  await second.child.kill('SIGKILL');
  const third = await again();
  expect(await ended(third, id, PATIENCE)).toBe('DONE');
  expectEachOnce(await printedIn(third, id), LINES);
  await third.child.kill('SIGKILL');
}, 500_000);

test('of an agent that is killed meanwhile there is what it sent, without a gap', async () => {
  const agents = { disconnectGraceSeconds: AWAY_SECONDS, absenceSeconds: AWAY_SECONDS };
  const server = await bench.server({ config: { agents } });
  const agent = await bench.agent(server, { tags: ['linux'] });
  const id = await start(server, oneJob('prints', [PRINTS, sh('sleep 60')]));
  await hasPrinted(server, id, 1);
  await agent.child.kill('SIGKILL');
  expect(await ended(server, id, PATIENCE)).toBe('FAILED');
  const printed = await printedIn(server, id);
  expectEachOnce(printed, printed.length);
  expect(printed.length).toBeGreaterThan(1);
}, 500_000);
