import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';
import type { Io } from './io.ts';

function ioWith(pieces: readonly string[], isInteractive: boolean) {
  const asked: string[] = [];
  const io = {
    isInteractive,
    input: (async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    })(),
    complain: (text: string) => void asked.push(text),
  } as unknown as Io; // The rest is not called.
  return { io, asked };
}

test.each([
  ['y\n', true],
  ['YES\n', true],
  [' y \r\n', true],
  ['n\n', false],
  ['\n', false],
  ['', false],
  ['yellow\n', false],
  ['no\ny\n', false],
])('the answer %j is %s', async (answer, expected) => {
  const { io, asked } = ioWith([...answer], true);
  expect([await confirm('Really?', io), asked]).toEqual([expected, ['Really? [y/N] ']]);
});

test('without a terminal it is a yes', async () => {
  const { io, asked } = ioWith([], false);
  expect([await confirm('Really?', io), asked]).toEqual([true, []]);
});
