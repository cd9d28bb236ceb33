import { setImmediate as turn } from 'node:timers/promises';
import { atOnce, type Steps } from '@tutti/manifests';
import { beforeEach, expect, test } from 'vitest';
import { beginInTurn, doInTurn, nextTurn, noteConnection, Turns } from './turns.ts';

// A test may begin in the turn in which the one before ended.
beforeEach(async () => {
  await turn();
  await turn();
});

/** Counts turns while `work` goes on. */
async function turnsWhile(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

/** Notes each step, which begins in a later turn than the one before. */
const pausing = (order: string[], busyMs: number) => async (name: string) => {
  for (let step = 1; step <= 2; step += 1) {
    await nextTurn();
    order.push(`${name}${step}`);
    beBusy(busyMs);
  }
};

test('a turn continues as much waiting work as fits, each once', async () => {
  const order: string[] = [];
  const names = Array.from({ length: 100 }, (_, index) => `${index}.`);
  const turns = await turnsWhile(Promise.all(names.map(pausing(order, 0))));
  expect(order).toEqual([1, 2].flatMap((step) => names.map((name) => `${name}${step}`)));
  expect(turns).toBeLessThan(100);
});

test('one of several long works continues in each turn', async () => {
  const order: string[] = [];
  const turns = await turnsWhile(Promise.all(['a', 'b', 'c'].map(pausing(order, 6))));
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('work that follows from paused work shares its turn', async () => {
  await nextTurn();
  beBusy(6);
  expect(new Turns().isOver).toBe(true);
});

test('a turn that paused work used up takes nothing from the next one', async () => {
  await nextTurn();
  beBusy(6);
  await turn();
  expect(new Turns().isOver).toBe(false);
});

test('paused work waits where a request used up the turn, for one turn at most', async () => {
  const order: string[] = [];
  const busy = (left: number) => {
    if (left > 1) setTimeout(() => busy(left - 1));
    new Turns();
    beBusy(6);
    order.push(`busy${left}`);
  };
  busy(4);
  await nextTurn();
  order.push('paused');
  // The test begins between two turns, so the first two belong to one.
  expect(order).toEqual(['busy4', 'busy3', 'busy2', 'paused']);
});

test('waiting requests and paused work take turns, also where each fills one', async () => {
  const order: string[] = [];
  const requests = ['r1', 'r2', 'r3'].map((name) =>
    doInTurn('one', () => {
      order.push(name);
      beBusy(6);
    }),
  );
  await Promise.all([...requests, pausing(order, 6)('p')]);
  // The first one found an empty turn.
  const kinds = order.slice(1).map((name) => name.charAt(0));
  expect(['rprp', 'prpr']).toContain(kinds.join(''));
});

function* busySteps(count: number): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    beBusy(1);
    yield;
  }
  return 'done';
}

test('long work lets others run', async () => {
  let others = 0;
  const look = () => {
    others += 1;
    if (others < 1_000) setImmediate(look);
  };
  setImmediate(look);
  expect(await new Turns().run(busySteps(40))).toBe('done');
  expect(others).toBeGreaterThan(0);
  others = 1_000;
});

test('steps can be carried out at once', () => {
  expect(atOnce(busySteps(3))).toBe('done');
});

function beBusy(ms: number): void {
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < ms);
}

/** The turn in which each piece of work began; all arrive in one turn. */
async function turnsOf(works: readonly (() => unknown)[]): Promise<readonly number[]> {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const begun = works.map(
    (work) =>
      new Promise<number>((resolve) => {
        beginInTurn(
          () => 'one',
          () => {
            resolve(turn);
            work();
          },
        );
      }),
  );
  const turns = await Promise.all(begun);
  isOver = true;
  return turns;
}

test('requests of one turn share its time, and begin in the order they came', async () => {
  const order: number[] = [];
  const works = Array.from({ length: 6 }, (_, index) => () => {
    order.push(index);
    beBusy(6);
  });
  const turns = await turnsOf(works);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(turns).size).toBe(6);
});

test('those who ask for work take turns, whoever asks for more', async () => {
  const order: string[] = [];
  const works = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map((asker) =>
    doInTurn(asker, () => {
      order.push(asker);
      beBusy(6);
    }),
  );
  await Promise.all(works);
  // The first one found an empty turn.
  expect(order.join('')).toBe('aabcaba');
});

test('turns in which connections come are left to them, but not all', async () => {
  let connections = 0;
  let isOver = false;
  const come = () => {
    noteConnection();
    connections += 1;
    if (!isOver) setImmediate(come);
  };
  come();
  await nextTurn();
  expect(connections).toBeGreaterThan(10);
  isOver = true;
});

test('work of a request in promises counts', async () => {
  const afterPromises = async () => {
    for (let hop = 0; hop < 5; hop += 1) await Promise.resolve();
    beBusy(6);
  };
  const [first = 0, second = 0, third = 0] = await turnsOf([
    () => beBusy(6),
    afterPromises,
    afterPromises,
  ]);
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
});

test('requests that wait begin in a turn that nobody has used up', async () => {
  const [first = 0, second = 0] = await turnsOf([() => beBusy(6), () => beBusy(6)]);
  expect(second - first).toBe(2);
});

test('long work that begins in a turn whose time is used up does one step', async () => {
  const steps: string[] = [];
  function* work(name: string): Steps<void> {
    for (let step = 0; step < 2; step += 1) {
      steps.push(name);
      beBusy(1);
      yield;
    }
  }
  const busy = new Turns().run(
    (function* (): Steps<void> {
      beBusy(6);
      yield;
    })(),
  );
  await Promise.all([busy, new Turns().run(work('a')), new Turns().run(work('b'))]);
  expect(steps).toEqual(['a', 'b', 'a', 'b']);
});
