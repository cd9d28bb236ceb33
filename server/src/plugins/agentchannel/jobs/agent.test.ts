import type { AgentId, AgentRegistration, JobId, Timestamp, WorkflowId } from '@tutti/manifests';
import { createChannelPool } from '@tutti/workflow';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../runtime/clock.ts';
import { createAgent } from '../agents/create-agent.ts';
import { channelIdOf, namespacesOf, osOf, rootOf } from './agent.ts';
import { createSession } from './job-session.ts';

function agentWith(more: { metadata?: object; spec?: object }) {
  const registration: AgentRegistration = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name: 'a', ...more.metadata },
    spec: { tags: ['linux'], ...more.spec },
  };
  return createAgent('id' as AgentId, { registration, createdAt: '' as Timestamp }, 0);
}

describe('whether scripts come with their command', () => {
  test.each([
    [undefined, false],
    ['', false],
    ['0.9', false],
    ['1', false],
    ['1.0', false],
    ['1.8.9', false],
    ['1.9', true],
    ['1.10', true],
    ['1.9.0-rc1', true],
    ['2', true],
    ['2.0', true],
    ['10.1', true],
    ['latest', false],
  ])('version %o: %o', (version, expected) => {
    expect(agentWith({ metadata: version === undefined ? {} : { version } }).canRun).toBe(expected);
  });

  test('our own agents tell by their protocol', () => {
    const agent = agentWith({ spec: { protocol: 'tutti.v1' } });
    expect([agent.isOurs, agent.canRun]).toEqual([true, true]);
    expect(agentWith({ spec: { protocol: 'tutti.v2' } }).isOurs).toBe(false);
  });
});

test.each([
  [['linux'], 'linux'],
  [['node', 'windows'], 'windows'],
  [['macos', 'arm'], 'macos'],
  [['robot'], 'linux'],
  [['Windows'], 'linux'],
  // Language 3.2: An environment has exactly one tag of a system.
])('the system of an agent with tags %o is %s', (tags, expected) => {
  expect(osOf(agentWith({ spec: { tags } }))).toBe(expected);
});

test.each([
  [{}, 'default'],
  [{ namespaces: '' }, 'default'],
  [{ namespaces: '*' }, '*'],
  [{ namespaces: 'a,b' }, 'a,b'],
])('the namespaces of %o are %s', (metadata, expected) => {
  expect(namespacesOf(agentWith({ metadata }))).toBe(expected);
});

test.each([
  [{}, null],
  [{ script_path: '' }, null],
  [{ script_path: '/srv' }, '/srv'],
])('the script directory of %o is %o', (spec, expected) => {
  expect(rootOf(agentWith({ spec }))).toBe(expected);
});

function hosted() {
  const agent = agentWith({ spec: { protocol: 'tutti.v1' } });
  const host = { pool: createChannelPool(), clock: systemClock, poolChanged: () => undefined };
  const sessionOf = (jobId: string) => {
    const ids = { jobId: jobId as JobId, workflowId: 'w' as WorkflowId };
    return createSession(agent, { ...ids, masks: [] });
  };
  return { agent, host, sessionOf, phase: () => host.pool.phaseOf(channelIdOf(agent)) };
}

test('an agent that was de-registered gets no channel again when its connection breaks', () => {
  const { agent, host, phase } = hosted();
  agent.joinPool(host);
  agent.leavePool(host);
  agent.noteDisconnection(host, true);
  agent.joinPool(host);
  expect(phase()).toBe(null);
});

test('a busy agent begins no other job, and keeps its own', () => {
  const { agent, host, sessionOf, phase } = hosted();
  agent.joinPool(host);
  const first = sessionOf('first');
  agent.begin(host, first, 'default');
  expect(() => agent.begin(host, sessionOf('second'), 'default')).toThrow('is in phase BUSY');
  expect([agent.session, phase()]).toEqual([first, 'BUSY']);
});

test('an agent that never asked for work begins no job', () => {
  const { agent, host, sessionOf } = hosted();
  expect(() => agent.begin(host, sessionOf('first'), 'default')).toThrow('is in phase none');
  expect(agent.session).toBe(null);
});
