import { expect, test } from 'vitest';
import { parseDatabasePlace } from './database-place.ts';

test.each([
  ['postgres://tutti@db/main', 'postgres://tutti@db/main', true],
  ['postgresql://tutti@db:5432/main', 'postgres://tutti@db/main', true],
  ['postgres://tutti@localhost/main', 'postgres://tutti@localhost/main', false],
  ['postgres://t%40x@db1,db2:5433/main', 'postgres://t%40x@db1,db2:5433/main', true],
  ['postgres://tutti@db/main?sslmode=disable', 'postgres://tutti@db/main?sslmode=disable', false],
  [
    'postgres://tutti@[::1]:6000/main?sslmode=verify-full',
    'postgres://tutti@[::1]:6000/main?sslmode=verify-full',
    true,
  ],
  [
    'postgres://tutti@/main?host=/run/postgresql',
    'postgres://tutti@/main?host=/run/postgresql',
    false,
  ],
])('%s is %s', (text, address, isTls) => {
  expect(parseDatabasePlace(text)).toMatchObject({ address, isTls });
});

test.each([
  ['postgres://tutti:top-secret@db/main', 'may not have a password'],
  ['postgres://tutti:top@secret@db/main', 'may not have a password'],
  ['postgres://tutti@db/main?password=top-secret', 'may not have a password'],
  ['postgres://db/main', 'names no user'],
  ['postgres://tutti@db', 'not an address like'],
  ['mysql://tutti@db/main', 'not an address like'],
  ['postgres://tutti@db/main?sslmode=prefer', 'verify-full or disable'],
  ['postgres://tutti@db/main?options=x', 'and not "options"'],
  ['postgres://tutti@db:99999/main', 'no name of a host'],
  ['postgres://tutti@/main?host=tmp', 'absolute path'],
])('%s is refused', (text, why) => {
  expect(() => parseDatabasePlace(text)).toThrow(why);
  expect(() => parseDatabasePlace(text)).not.toThrow(/secret/);
});
