const { defineConfig } = require('@playwright/test');

module.exports = defineConfig({
  testDir: 'tests',
  workers: 1,
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
});
