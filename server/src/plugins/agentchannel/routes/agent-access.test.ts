import type { AgentId, AgentRegistration, Timestamp } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Access } from '../../../auth/access.ts';
import { createAgent } from '../agents/create-agent.ts';
import { checkReach, checkRegistration, mayKnowJob, mayReach } from './agent-access.ts';

/** A bearer with rights in these namespaces. */
const bearer = (names: string): Access => ({
  subject: 'bob',
  keyId: 'a key',
  namespaces: () => (names === '*' ? '*' : new Set(names === '' ? [] : names.split(','))),
});

function agentIn(namespaces: string) {
  const registration: AgentRegistration = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name: 'a', namespaces },
    spec: { tags: ['linux'] },
  };
  return createAgent('id' as AgentId, { registration, createdAt: '' as Timestamp }, 0);
}

test.each([
  ['*', 'a', 'acts'],
  ['*', '*', 'acts'],
  ['a', 'a', 'acts'],
  ['a', 'b', 'nothing'],
  ['a', 'b, a', 'sees'],
  ['a,b', 'b, a', 'acts'],
  ['a', '*', 'sees'],
  ['default', '', 'acts'],
  ['a', '', 'nothing'],
  ['', '*', 'sees'],
])('a bearer with rights in %o, and an agent of %o: %s', (names, namespaces, expected) => {
  const agent = agentIn(namespaces);
  expect(mayReach(bearer(names), 'list', agent)).toBe(expected !== 'nothing');
  expect(mayKnowJob(bearer(names), agent)).toBe(expected === 'acts');
  for (const verb of ['create', 'delete'] as const) {
    const check = () => checkReach(bearer(names), verb, agent);
    if (expected === 'acts') expect(check).not.toThrow();
    else expect(check).toThrow(`User bob is not authorized to ${verb} agents.`);
  }
});

test.each([
  ['*', '*', null],
  ['a', 'a', null],
  ['a,b', 'a, b', null],
  ['a', 'a,b,c', 'b, c'],
  ['a', '*', '*'],
])(
  'a bearer with rights in %o may register an agent for %o, but for %o',
  (names, namespaces, foreign) => {
    const check = () => checkRegistration(bearer(names), namespaces);
    if (foreign === null) expect(check).not.toThrow();
    else expect(check).toThrow(`not authorized to create agents in namespace ${foreign}.`);
  },
);
