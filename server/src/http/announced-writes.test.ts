import { expect, test } from 'vitest';
import { announceWrites } from './announced-writes.ts';
import { createTestApp } from './testing.ts';

test('requests that may change something are announced, once they are let in', async () => {
  let announced = 0;
  const { app, admin } = await createTestApp({
    routes: [
      (on) => announceWrites(on, () => (announced += 1)),
      (on) => {
        on.get('/runs', () => ({}));
        on.post('/runs', () => ({}));
        on.delete('/runs', () => ({}));
      },
    ],
  });
  const call = async (method: 'GET' | 'HEAD' | 'POST' | 'DELETE', authorization = admin) => {
    await app.inject({ url: '/runs', method, headers: { authorization } });
    return announced;
  };
  expect(await call('GET')).toBe(0);
  expect(await call('HEAD')).toBe(0);
  expect(await call('POST', 'Bearer nobody')).toBe(0);
  expect(await call('POST')).toBe(1);
  expect(await call('DELETE')).toBe(2);
  await app.close();
});
