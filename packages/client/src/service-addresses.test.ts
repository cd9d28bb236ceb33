import { expect, test } from 'vitest';
import {
  createServiceFetch,
  serviceAddress,
  serviceAddresses,
  serviceOf,
} from './service-addresses.ts';

const SERVER = 'http://tests.example.com';

test.each<[string, object, string | null]>([
  ['the server alone', { server: `${SERVER}:7774/` }, `${SERVER}:7774`],
  ['a port', { server: SERVER, services: { observer: { port: 7775 } } }, `${SERVER}:7775`],
  ['a port of old files', { server: `${SERVER}:1`, ports: { observer: 7775 } }, `${SERVER}:7775`],
  [
    'a prefix below a path',
    { server: `${SERVER}/tests/`, services: { observer: { prefix: '/o/' } } },
    `${SERVER}/tests/o`,
  ],
  [
    'a port as text, with a prefix',
    { server: SERVER, services: { observer: { port: '7775', prefix: 'o' } } },
    `${SERVER}:7775/o`,
  ],
  ['no address', { server: 'tests.example.com' }, null],
  ['nothing', {}, null],
])('the observer of an orchestrator is found by %s', (_what, orchestrator, address) => {
  expect(serviceAddress({ ...orchestrator }, 'observer')).toBe(address);
});

test('only services that are elsewhere than the server are told', () => {
  const services = { receptionist: { port: 7774 }, observer: { port: 7775 }, killswitch: {} };
  const found = serviceAddresses({ server: `${SERVER}:7774`, services });
  expect([...found]).toEqual([['observer', `${SERVER}:7775`]]);
});

test.each([
  ['POST', '/workflows?namespace=a', 'receptionist'],
  ['POST', '/workflows/ID/rerun', 'receptionist'],
  ['GET', '/workflows', 'observer'],
  ['GET', '/workflows/ID/status?page=2', 'observer'],
  ['GET', '/workflows/ID/datasources/testcases', 'observer'],
  ['DELETE', '/workflows/ID', 'killswitch'],
  ['GET', '/workflows/ID/qualitygate', 'qualitygate'],
  ['POST', '/workflows/ID/qualitygate', 'qualitygate'],
  ['GET', '/workflows/ID/files/FILE', 'localstore'],
  ['POST', '/workflows/ID/insights', 'insightcollector'],
  ['GET', '/agents', 'agentchannel'],
  ['POST', '/subscriptions', 'eventbus'],
  ['POST', '/publications', 'eventbus'],
  ['GET', '/channels', 'observer'],
  ['GET', '/namespaces', 'observer'],
  ['GET', '/version', 'observer'],
])('%s %s goes to the %s', (method, path, service) => {
  expect(serviceOf(method, path)).toBe(service);
});

const REQUEST = { method: 'GET', headers: {}, signal: null };
const places = new Map([['agentchannel', `${SERVER}:24368/a`]]);

test('each request goes to the address of its service', async () => {
  const asked: string[] = [];
  const fetch = createServiceFetch(`${SERVER}/base/`, places, (url) => {
    asked.push(url);
    return Promise.reject(new Error('no answer'));
  });
  for (const path of ['/agents?labelSelector=a', '/channels']) {
    await fetch(`${SERVER}/base${path}`, REQUEST).catch(() => null);
  }
  expect(asked).toEqual([`${SERVER}:24368/a/agents?labelSelector=a`, `${SERVER}/base/channels`]);
});

test('a service that cannot be reached is told by its own address', async () => {
  const failure = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  const fetch = createServiceFetch(SERVER, places, () => Promise.reject(failure));
  await expect(fetch(`${SERVER}/agents`, REQUEST)).rejects.toMatchObject({
    url: `${SERVER}:24368/a`,
    code: 'ECONNREFUSED',
  });
});
