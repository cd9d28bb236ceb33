/** The fate of offers (wire facts 3.2). */
import type { ChannelId, Hook, JobId, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { OwnAgent } from './testing/scripted-agents.ts';
import { ended, eventsOfKind, eventually, startServer } from './testing/test-server.ts';

// Language 3.2: An offer is held for a time, in which the channel is `PENDING`.
// Language 3.2: One of several offers is taken, and its channel is in all later commands.
test('a channel whose offer was not taken is free at once, and commands of the job are not for it', async () => {
  const late = Promise.withResolvers<readonly Hook[]>();
  const server = await startServer({ hooks: { hooks: () => late.promise } });
  const agent = await OwnAgent.register(server);
  const workflowId = await server.start(['make']);
  const [request] = await eventually(async () => {
    const commands = await eventsOfKind(server, workflowId, 'ExecutionCommand');
    expect(commands).toHaveLength(1);
    expect(agent.known.isOffered).toBe(true);
    return commands;
  });
  if (request === undefined) throw new Error('No environment was asked for.');
  const offer = {
    ...request.metadata,
    channel_id: 'elsewhere' as ChannelId,
    channel_os: 'linux' as const,
    channel_temp: '/tmp',
    channelhandler_id: 'another handler',
  };
  const result = { apiVersion: 'opentestfactory.org/v1alpha1', kind: 'ExecutionResult' } as const;
  await server.bus.publish({ ...result, metadata: offer, status: 0 });
  await agent.isIn('PENDING');
  late.resolve([]);
  await agent.isIn('IDLE');
  expect((await agent.poll()).code).toBe(204);
  const [, step] = await eventsOfKind(server, workflowId, 'ExecutionCommand');
  expect(step?.metadata).toMatchObject({ channel_id: 'elsewhere', step_sequence_id: 0 });
  await server.bus.publish({ ...result, metadata: { ...offer, step_sequence_id: 0 }, status: 0 });
  await server.bus.publish({ ...result, metadata: { ...offer, step_sequence_id: -2 }, status: 0 });
  expect(await ended(server, workflowId)).toBe('DONE');
});

test('a job whose tags find no room in the queue ends its run', async () => {
  const server = await startServer();
  const { pool } = server.channel.context;
  const asked = { workflowId: 'w' as WorkflowId, jobName: 'j', namespace: 'default', order: 0 };
  for (let index = 0; pool.hasRoomFor({ namespace: 'default', tags: ['more'] }); index += 1)
    pool.addRequest({ ...asked, jobId: `j${index}` as JobId, tags: [`t${index}`] });
  const workflowId = await server.start(['make']);
  expect(await ended(server, workflowId)).toBe('FAILED');
  const [error] = await eventsOfKind(server, workflowId, 'ExecutionError');
  expect(error?.details).toEqual({
    error: expect.stringContaining('wait for too many different sets of tags'),
  });
});
