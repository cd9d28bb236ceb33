import type { AgentId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { Identities } from './replacement.ts';

type Identified = Parameters<Identities['add']>[0];

function agent(number: number, identity: string | null, seen: () => void = () => {}): Identified {
  return {
    id: `agent-${number}` as AgentId,
    identity,
    session: null,
    get unreachableSince() {
      seen();
      return null;
    },
  };
}

test('a registration looks only at agents of its identity, however many there are', () => {
  const identities = new Identities();
  let seen = 0;
  for (let number = 0; number < 1_000; number += 1) {
    identities.add(agent(number, `machine ${number}`, () => (seen += 1)));
  }
  expect(identities.predecessorOf('machine 500')).toBe('agent-500');
  expect(identities.predecessorOf('machine 1000')).toBeNull();
  expect(seen).toBe(1);
});

test('copies of one machine, and agents that are gone, are no predecessors', () => {
  const identities = new Identities();
  const [first, second] = [agent(1, 'machine'), agent(2, 'machine')];
  for (const each of [first, second, agent(3, null)]) identities.add(each);
  expect(identities.predecessorOf('machine')).toBeNull();
  identities.remove(first);
  expect(identities.predecessorOf('machine')).toBe('agent-2');
  identities.remove(second);
  expect(identities.predecessorOf('machine')).toBeNull();
  expect(identities.predecessorOf(null)).toBeNull();
});
