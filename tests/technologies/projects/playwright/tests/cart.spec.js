const { expect, test } = require('@playwright/test');

const PAGE = '<button onclick="this.textContent = 1 + 1">Add</button>';

test.describe('cart', () => {
  test('adds', async ({ page }) => {
    await page.setContent(PAGE);
    await page.getByRole('button').click();
    await expect(page.getByRole('button')).toHaveText('2');
  });

  test('subtracts', async ({ page }) => {
    await page.setContent(PAGE);
    expect(await page.getByRole('button').textContent(), 'the name of the button').toBe('Take');
  });

  test('takes', () => {
    throw new TypeError('the shelf is empty');
  });

  test.skip('divides', () => {}); // Shows what a skipped case becomes.
});
