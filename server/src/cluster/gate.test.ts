import { expect, test } from 'vitest';
import { Gate, patienceEnd } from './gate.ts';

test('an active replica without heartbeats lets requests wait, and refuses them in the end', async () => {
  const heart = { isBeating: false };
  const gate = new Gate(() => heart.isBeating);
  gate.move('here');
  expect([gate.isOurs, gate.isHere]).toEqual([true, false]);
  await expect(gate.place(0)).rejects.toThrow('No replica of the server is active');
  const place = gate.place(patienceEnd());
  heart.isBeating = true;
  gate.wakeAll();
  expect(await place).toBe('here');
  expect(gate.isHere).toBe(true);
});
