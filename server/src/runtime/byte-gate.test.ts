import { expect, test } from 'vitest';
import { ByteGate, type HeldBytes } from './byte-gate.ts';

const createGate = (waitMs = 60_000) =>
  new ByteGate({ bytesMax: 100, shareMax: 50, waitMs, what: 'answers' });

/** Notes when it enters. */
function ask(gate: ByteGate, who: string, bytes: number, entered: string[]): Promise<HeldBytes> {
  const entering = gate.enter(who, bytes);
  void entering.then(() => entered.push(who)).catch(() => undefined);
  return entering;
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

test('an asker without room waits until another leaves', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const first = await ask(gate, 'a', 50, entered);
  await ask(gate, 'b', 50, entered);
  void ask(gate, 'c', 50, entered);
  await turns();
  expect(entered).toEqual(['a', 'b']);
  first.leave();
  first.leave();
  await turns();
  expect(entered).toEqual(['a', 'b', 'c']);
  expect(gate.held).toBe(100);
});

// Bound: Documents above 4 KiB under way, after parsing.
test('an asker at its share waits, and lets others pass', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const first = await ask(gate, 'a', 40, entered);
  void ask(gate, 'a', 20, entered);
  void ask(gate, 'b', 20, entered);
  await turns();
  expect(entered).toEqual(['a', 'b']);
  first.leave();
  await turns();
  expect(entered).toEqual(['a', 'b', 'a']);
});

test('askers take turns', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const x = await ask(gate, 'x', 50, entered);
  const y = await ask(gate, 'y', 50, entered);
  const asked = [ask(gate, 'a', 50, entered), ask(gate, 'a', 50, entered)];
  asked.push(ask(gate, 'b', 50, entered));
  x.leave();
  (await asked[0])?.leave();
  (await asked[2])?.leave();
  (await asked[1])?.leave();
  y.leave();
  expect(entered).toEqual(['x', 'y', 'a', 'b', 'a']);
  expect(gate.held).toBe(0);
});

test('a thing larger than a share counts as one, and leaves room to others', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const large = await ask(gate, 'a', 1_000, entered);
  void ask(gate, 'a', 1, entered);
  await ask(gate, 'b', 50, entered);
  expect(entered).toEqual(['a', 'b']);
  large.leave();
  await turns();
  expect(entered).toEqual(['a', 'b', 'a']);
});

test('no asker enters while an earlier one does not know its size yet', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const reading = await gate.enterToRead('a', 1);
  void ask(gate, 'b', 10, entered);
  await turns();
  expect(entered).toEqual([]);
  reading.resize(50);
  await turns();
  expect(entered).toEqual(['b']);
});

test('an asker that waits too long is refused, and later ones enter', async () => {
  const gate = createGate(1);
  const entered: string[] = [];
  await ask(gate, 'a', 50, entered);
  await ask(gate, 'x', 10, entered);
  const refused = ask(gate, 'b', 50, entered);
  await expect(refused).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
    message:
      'The server has no memory left for answers: they may take 100 bytes together. Try again later.',
  });
  await ask(gate, 'c', 40, entered);
  expect(entered).toEqual(['a', 'x', 'c']);
});

test('an asker that waits to read the next piece still counts with the one before', async () => {
  const gate = createGate();
  const one = await gate.enterToRead('a', 10);
  one.resize(40);
  const other = await gate.enterToRead('b', 10);
  other.resize(30);
  await one.readNext();
  const waiting = other.readNext();
  await turns();
  expect(gate.held).toBe(70);
  one.resize(45);
  await waiting;
  other.resize(5);
  expect(gate.held).toBe(50);
  one.leave();
  other.leave();
  other.leave();
  expect(gate.held).toBe(0);
});

/** An asker with a first piece of this size. */
async function reading(gate: ByteGate, who: string, bytes: number): Promise<HeldBytes> {
  const held = await gate.enterToRead(who, 1);
  held.resize(bytes);
  return held;
}

test.each([
  ['its share', ['a', 'a']],
  ['the room of all', ['a', 'b', 'c']],
])('who holds much goes on before one who waits for %s', async (_room, who) => {
  const gate = createGate();
  const small = await reading(gate, 'a', 5);
  const [large, ...others] = await Promise.all(who.slice(1).map((each) => reading(gate, each, 60)));
  const waits = small.readNext();
  const goesOn = large?.readNext();
  await goesOn;
  large?.leave();
  await waits;
  small.leave();
  for (const other of others) other.leave();
  expect(gate.held).toBe(0);
});

test('with things larger than a share, two enter at a time, for any askers', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const holders: HeldBytes[] = [];
  for (const who of ['a', 'b', 'c', 'd']) {
    void reading(gate, who, 500).then((held) => {
      entered.push(who);
      holders.push(held);
    });
  }
  await turns();
  expect(entered).toEqual(['a', 'b']);
  for (const holder of holders) holder.leave();
  await turns();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

test('bytes already in memory wait within a bound; more are refused at once', async () => {
  const gate = createGate();
  const entered: string[] = [];
  const made = (who: string, bytes: number) => {
    const entering = gate.enterMade(who, bytes);
    void entering.then(() => entered.push(who)).catch(() => undefined);
    return entering;
  };
  const first = await made('a', 50);
  void made('a', 40);
  await expect(made('a', 20)).rejects.toThrow('The server has no memory left for answers');
  void made('a', 10);
  // Another asker is admitted, and waits without room.
  await made('b', 50);
  void made('b', 50);
  await expect(made('b', 1)).rejects.toThrow('The server has no memory left for answers');
  void made('c', 500);
  await expect(made('c', 1)).rejects.toThrow('The server has no memory left for answers');
  expect(entered).toEqual(['a', 'b']);
  first.leave();
  await turns();
  expect(entered).toEqual(['a', 'b', 'a']);
});
