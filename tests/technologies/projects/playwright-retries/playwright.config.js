const { defineConfig } = require('@playwright/test');

module.exports = defineConfig({ testDir: 'tests', workers: 1, retries: 1 });
