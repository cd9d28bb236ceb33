import { isUuid } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { derivedId } from './derived-id.ts';

test('one name gives one id, another name another one', () => {
  expect(derivedId('report 1')).toBe(derivedId('report 1'));
  expect(derivedId('report 1')).not.toBe(derivedId('report 2'));
});

test('a derived id is a UUID of version 5', () => {
  expect(isUuid(derivedId(''))).toBe(true);
  expect(derivedId('x')).toMatch(/^.{14}5.{4}[89ab]/);
});
