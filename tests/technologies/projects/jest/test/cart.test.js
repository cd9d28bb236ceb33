describe('cart', () => {
  test('adds', () => expect(1 + 1).toBe(2));
  test('adds $(touch breach) [é]', () => expect(1 + 1).toBe(2));
  test('subtracts', () => expect(2 - 1).toBe(0));
  test.skip('divides', () => {}); // Shows what a skipped case becomes.
  test.todo('ships'); // Shows what a planned case becomes.
});
