import { isOrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { checkPrefixes, createPrefixRemover, servicePorts } from './service-addresses.ts';

describe('the port', () => {
  const portOf = (name: string, ports = servicePorts([])) =>
    ports.find(({ names }) => names.some((one) => one === name))?.port;

  test.each([
    ['receptionist', 7774],
    ['observer', 7775],
    ['killswitch', 7776],
    ['eventbus', 38368],
    ['agentchannel', 24368],
    ['qualitygate', 12312],
    ['localstore', 34537],
    ['insightcollector', 7796],
  ])('of %s is %i', (name, port) => {
    expect(portOf(name)).toBe(port);
  });

  test('with several settings is the last one', () => {
    const ports = servicePorts([
      { name: 'observer', port: 1 },
      { name: 'observer', port: 17775 },
      { name: 'observer', prefix: '/observer' },
    ]);
    expect(portOf('observer', ports)).toBe(17775);
    expect(ports).toHaveLength(8);
  });

  test('shared by several services exists once', () => {
    const ports = servicePorts([{ name: 'observer', port: 7774 }]);
    expect(ports).toContainEqual({ port: 7774, names: ['receptionist', 'observer'] });
    expect(ports).toHaveLength(7);
  });
});

describe('a prefix', () => {
  const remove = createPrefixRemover([
    { name: 'observer', prefix: '/ci' },
    { name: 'agentchannel', prefix: '/ci/agents-of-ci' },
    { name: 'killswitch' },
  ]);

  test.each([
    ['/ci/workflows?page=2', '/workflows?page=2'],
    ['/ci', '/'],
    ['/ci?page=2', '/?page=2'],
    ['/ci/', '/'],
    ['//ci/workflows', '/workflows'],
    ['/ci//workflows', '//workflows'],
    ['/ci/agents-of-ci/agents', '/agents'],
    ['/ci/ci/workflows', '/ci/workflows'],
    ['/cid/workflows', '/cid/workflows'],
    ['/workflows?of=/ci/', '/workflows?of=/ci/'],
    ['//workflows', '//workflows'],
    ['*', '*'],
  ])('makes %s lead to %s', (target, expected) => {
    expect(remove(target)).toBe(expected);
  });

  test('like a path of the interface is refused', () => {
    const services = [{ name: 'agentchannel', prefix: '/agents' }] as const;
    expect(() => checkPrefixes(services, '/workflows')).not.toThrow();
    const refused = () => checkPrefixes(services, '/agents/:agent_id');
    expect(refused).toThrow(
      'Not a valid configuration: services: the prefix /agents of agentchannel begins as paths of the interface do (/agents).',
    );
    expect(refused).toThrow(expect.toSatisfy(isOrchestratorError));
  });
});
