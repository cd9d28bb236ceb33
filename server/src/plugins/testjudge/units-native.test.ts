import type { TestUnit } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { selectorOf } from './units.ts';

type Row = readonly [TestUnit, string | null, string, string | null, string | null];

const shelf = 'file:my%20shelf.feature';

test.each<Row>([
  ['junit', 'shop.CartTest', 'adds', null, 'shop.CartTest#adds'],
  ['junit', 'shop.CartTest$Inner', 'takes(String)[2]', null, 'shop.CartTest$Inner#takes'],
  ['junit', 'shop.CartTest', 'takes{String}[2]', null, 'shop.CartTest#takes'],
  ['junit', 'shop.Old', 'adds[0: a#b, c]', null, 'shop.Old#adds,shop.Old#adds[*]'],
  ['junit', 'shop.CartTest', 'größe', null, 'shop.CartTest#gr??e'],
  ['junit', 'shop.CartTest', 'adds two', null, null],
  ['junit', 'shop.CartTest', '[1] two', null, null],
  ['junit', 'shop.CartIT', 'adds', null, null],
  ['junit', 'shop.ITCart$Inner', 'adds', null, null],
  ['junit', 'Cart', 'Adding', null, null],
  ['junit', null, 'adds', null, null],
  ['robot', 'Shop.Cart', 'Takes [a]*?', null, 'Shop.Cart.Takes [[]a][*][?]'],
  ['robot', 'Shop', 'Shop', null, null],
  ['go', 'shop/cart', 'TestAdds/a.b#01', null, 'shop/cart ^TestAdds$/^a\\.b#01$'],
  ['go', 'shop/cart', 'shop/cart', null, null],
  ['go', 'command-line-arguments', 'TestAdds', null, null],
  ['go', 'shop/cart', 'Test Adds', null, null],
  ['cargo', 'cart::bin/open', 'tests::größe', null, '(binary_id(=cart::bin/open) & test(=tests::größe))'],
  ['cargo', 'cart', 'adds) | all(', null, null],
  ['cargo', 'cart) | all(', 'adds', null, null],
  ['phpunit', 'Shop.CartTest', 'testAdds', null, 'Shop\\\\CartTest::testAdds'],
  ['phpunit', 'Cart', 'testA with data set "a/b"', null, 'Cart::testA\\s+with\\s+data\\s+set\\s+"a\\/b"'],
  ['phpunit', 'Shop.CartTest', 'it adds', null, null],
  ['cucumber', 'Cart', 'Adding', `${shelf}:3`, `${shelf}:3`],
  ['cucumber', 'Cart', 'Adding', 'classpath:é.feature:3', 'classpath:%C3%A9.feature:3'],
  ['cucumber', 'Cart', 'Counting - Example #2', `${shelf}:9`, shelf],
  ['cucumber', 'Cart', 'Adding', 'file:a,b.feature:3', null],
  ['cucumber', 'Cart', 'Adding', null, null],
])('%s selects %s %s %s as %s', (unit, suite, name, file, expected) => {
  const selection = selectorOf(unit)({ wanted: [{ suite, name, file }], others: [], os: 'linux' });
  expect(selection).toEqual(expected === null ? null : [expected]);
}); // biome-ignore format: one line for each test

test.each<TestUnit>(['go', 'cucumber'])('%s selects nothing on Windows', (unit) => {
  const wanted = [{ suite: 'shop/cart', name: 'TestAdds', file: 'file:cart.feature:3' }];
  expect(selectorOf(unit)({ wanted, others: [], os: 'linux' })).toHaveLength(1);
  expect(selectorOf(unit)({ wanted, others: [], os: 'windows' })).toBeNull();
});
