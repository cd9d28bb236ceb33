/** Logs that a waiting replica has folded, and that went on before it takes the runs: with a real store. */
import type { NotificationEvent, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { foldGrownLogs, foldLiveLogs } from './folded-log.ts';
import { dataFolder, type RunningArranger, startArranger } from './testing.ts';

const JOBS = { a: { 'runs-on': 'linux', steps: [{ run: 'true' }] } };

const commandOf = ({ event }: RunningArranger, id: WorkflowId, sequence: number) =>
  event(id, 'ExecutionCommand', ({ metadata }) => metadata.step_sequence_id === sequence);

test('logs that were folded before are what a fold of all gives, and only those that grew are read', async () => {
  const running = await startArranger(await dataFolder());
  const { store, bus, start, answer, event } = running;
  const [same, grown, printed, over] = [
    await start(JOBS),
    await start(JOBS),
    await start(JOBS),
    await start(JOBS),
  ];
  await answer(await commandOf(running, over, -1));
  const before = await foldLiveLogs(store);
  expect([...before.keys()]).toEqual([same, grown, printed, over]);

  await answer(await commandOf(running, grown, -1));
  const { metadata, apiVersion } = await commandOf(running, printed, -1);
  const line: NotificationEvent = {
    ...{ apiVersion, kind: 'Notification', metadata, spec: { logs: ['a line'] } },
  };
  await bus.publish(line);
  for (const sequence of [0, -2]) await answer(await commandOf(running, over, sequence));
  await event(over, 'WorkflowCompleted');
  const begun = await start(JOBS);

  const read: WorkflowId[] = [];
  const after = await foldGrownLogs(
    {
      liveLengths: () => store.liveLengths(),
      foldingEvents: (id, fromSeq) => {
        if (fromSeq === 1) read.push(id);
        return store.foldingEvents(id, fromSeq);
      },
    },
    before,
  );
  expect(read).toEqual([grown, printed, begun]);
  expect([...after]).toEqual([...(await foldLiveLogs(store))]);
  expect([...after.keys()]).toEqual([same, grown, printed, begun]);
});
