const { defineConfig } = require('@playwright/test');

module.exports = defineConfig({
  testDir: 'tests',
  workers: 1,
  ...(process.env.PROJECTS ? { projects: [{ name: 'desktop' }, { name: 'phone' }] } : {}),
  use: {
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
});
