const { defineConfig } = require('@playwright/test');

module.exports = defineConfig({
  testDir: '.',
  workers: 1,
  expect: { timeout: 2_000 },
  use: {
    baseURL: process.env.PRICES_URL,
    // A browser of the machine; without the variable, the one that Playwright installed. Containers have no sandbox.
    launchOptions: { executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox'] },
  },
});
