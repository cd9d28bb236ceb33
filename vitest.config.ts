import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Left to itself, the runner keeps one core for itself, which is half of the cores of small machines. */
const EVERY_CORE = '100%';

/** Threads and processes that tests start find what those before them compiled. */
const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/tutti-tests', import.meta.url)),
};

/**
 * The suffix of a test file picks its suite: `.test.ts` is pure or nearly so and part of `npm run check`; `.int.test.ts`
 * starts a real store or a real HTTP server; `tests/` holds the suites that start whole processes.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages/*,server,agent,cli}/src/**/*.test.ts',
            'tests/structure/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: ['**/*.int.test.ts'],
          // Loading the modules anew for each file would take as long as all of its tests.
          isolate: false,
          env: COMPILED,
          maxWorkers: EVERY_CORE,
          // Only what hangs takes this long, whatever else the machine does.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{packages/*,server,agent,cli}/src/**/*.int.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          env: COMPILED,
          maxWorkers: EVERY_CORE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Each file has servers and agents of its own; what more of them at a time would need, few machines have.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          testTimeout: 120_000,
          // A browser may have to be installed first.
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'technologies',
          include: ['tests/technologies/*.test.ts'],
          // With the installation of what is not there yet, at the top of the files.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: EVERY_CORE,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'interop',
          include: ['tests/interop/**/*.test.ts'],
          globalSetup: ['tests/interop/global-setup.ts'],
          // Programs of others spend most of their time waiting for their next look.
          maxConcurrency: 10,
          // With the installation of what is not there yet, in the first test that needs it.
          testTimeout: 300_000,
          hookTimeout: 60_000,
          maxWorkers: EVERY_CORE,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
