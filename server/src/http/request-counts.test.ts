import { expect, onTestFinished, test } from 'vitest';
import { createTestAuthority } from '../auth/testing.ts';
import { createIds, systemClock } from '../runtime/clock.ts';
import { loadConfig } from '../runtime/config.ts';
import { createLogger } from '../runtime/logger.ts';
import { createApp } from './app.ts';
import { RequestCounts } from './request-counts.ts';

async function counting() {
  const requests = new RequestCounts();
  const authority = createTestAuthority();
  const app = createApp({
    authenticator: authority.authenticator(),
    logger: createLogger({ level: 'silent' }),
    ids: createIds(systemClock),
    config: loadConfig({ env: {} }),
    version: '1.2.3',
    requests,
  });
  app.get('/things/:thing_id/parts/:part_id', () => 'part');
  onTestFinished(() => app.close());
  await app.ready();
  const counted = () =>
    [...requests.all()]
      .flatMap(({ method, route, codes }) =>
        Array.from(codes, ([code, count]) => `${method} ${route} ${code}: ${count}`),
      )
      .sort();
  const headers = { authorization: await authority.bearer({ sub: 'alice' }) };
  return { app, counted, headers };
}

test('requests are counted by the path that the interface has for them', async () => {
  const { app, counted, headers } = await counting();
  for (const url of ['/things/1/parts/2', '/things/3/parts/4?page=1', '/health']) {
    await app.inject({ url, headers });
  }
  expect(counted()).toEqual([
    'GET /health 200: 1',
    'GET /things/{thing_id}/parts/{part_id} 200: 2',
  ]);
});

test('a thousand unknown paths and methods are a few counts', async () => {
  const { app, counted, headers } = await counting();
  for (let index = 0; index < 1_000; index += 1) {
    await app.inject({ url: `/nothing/${index}?q=${index}`, headers });
  }
  await app.inject({ url: '/things/1/parts/2', method: 'POST', headers });
  await app.inject({ url: '/nothing', method: 'OPTIONS', headers });
  expect(counted()).toEqual(['GET none 404: 1000', 'POST none 405: 1', 'other none 404: 1']);
});

test('a refused request counts at its path', async () => {
  const { app, counted } = await counting();
  await app.inject({ url: '/things/1/parts/2' });
  expect(counted()).toEqual(['GET /things/{thing_id}/parts/{part_id} 401: 1']);
});
