import { expect, test } from 'vitest';
import { portionsOf } from './portions.ts';

test('a short piece is one portion, an empty one none', () => {
  const bytes = new Uint8Array(3);
  expect([...portionsOf('short')]).toEqual(['short']);
  expect([...portionsOf(bytes)][0]).toBe(bytes);
  expect([...portionsOf('')]).toEqual([]);
});

test('a long text is cut between characters', () => {
  for (const begin of ['', 'x']) {
    const text = `${begin}${'😀'.repeat(300_000)}`;
    const portions = [...portionsOf(text)] as string[];
    expect(portions.length).toBeGreaterThan(2);
    expect(portions.join('')).toBe(text);
    expect(portions.every((portion) => portion.isWellFormed())).toBe(true);
  }
});

test('long bytes are cut', () => {
  const bytes = Buffer.alloc(1_000_000, 'abc');
  const portions = [...portionsOf(bytes)] as Uint8Array[];
  expect(portions.length).toBeGreaterThan(2);
  expect(Buffer.concat(portions).equals(bytes)).toBe(true);
});
