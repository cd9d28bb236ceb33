const { expect, test } = require('@playwright/test');

test('ships', async ({}, { retry }) => {
  expect(retry, 'the carrier answers late').toBe(1);
});

test('pays', async ({}, { retry }) => {
  expect(`${retry} paid`).toBe('all paid');
});
