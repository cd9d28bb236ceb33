import { expect, test } from 'vitest';
import { openStoreFolder } from '../../bus/testing.ts';
import { readHere } from '../../http/document-tasks.ts';
import { append, workflowId, workflowRow } from '../../store/conformance/samples.ts';
import { RUN_MASKS } from '../../store/store.ts';
import { withShownEvents } from './shown-events.ts';

test('first events are shown redacted, each by the masks of its run', async () => {
  const opened = await (await openStoreFolder()).open();
  const ids = [1, 2, 3].map(workflowId);
  for (const id of ids) {
    const event = {
      kind: 'Workflow',
      metadata: { name: 'n' },
      variables: { A: 'this', B: 'that' },
    };
    const documents =
      id === ids[2]
        ? []
        : [{ collection: RUN_MASKS, key: id, json: id === ids[0] ? '["this"]' : '["that"]' }];
    const run = append(id, 0, { documents, projection: { workflow: workflowRow(id) } });
    await opened.append({ ...run, events: [{ kind: 'Workflow', json: JSON.stringify(event) }] });
  }
  const texts = await withShownEvents(opened, readHere).firstEvents(
    [...ids, workflowId(9)],
    100_000,
  );
  const variables = texts.map((json) => json && JSON.parse(json).variables);
  const hidden = '***';
  expect(variables).toEqual([
    { A: hidden, B: 'that' },
    { A: 'this', B: hidden },
    { A: 'this', B: 'that' },
    null,
  ]);
});
