const { defineConfig } = require('@playwright/test');

module.exports = defineConfig({
  testDir: 'tests',
  workers: 1,
  ...(process.env.PROJECTS ? { projects: [{ name: 'desktop' }, { name: 'phone' }] } : {}),
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
});
