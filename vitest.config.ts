import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SQLITE_FILES, STORE_FILES } from './tests/support/sqlite-files.ts';
import { MixedSequencer } from './tests/support/test-order.ts';

/** Starts the PostgreSQL server of a suite. */
const POSTGRES = 'tests/support/postgres-for-all.ts';

/** Left to itself, the runner keeps one core for itself, which is half of the cores of small machines. */
const EVERY_CORE = '100%';

/** Threads and processes that tests start find what those before them compiled. */
const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/tutti-tests', import.meta.url)),
};

/** Only what hangs takes this long, whatever else the machine does. Longer than the patience of `eventually`, which says what it waits for. */
const HANGS_MS = 300_000;

/** What the processes of a test file may need, with those of a tool; most need a tenth. */
const BYTES_PER_FILE = 2 * 1024 ** 3;

/**
 * Suites that start servers, agents and programs of others run side by side, their files mixed: many of these wait for somebody who looks
 * every few seconds, or for a download. So more of them run at a time than there are cores, as far as there is memory.
 */
const SIDE_BY_SIDE = {
  maxWorkers: Math.max(
    2,
    Math.min(Math.ceil(1.5 * availableParallelism()), Math.floor(totalmem() / BYTES_PER_FILE)),
  ),
  sequence: { groupOrder: 1 },
};

/**
 * The suffix of a test file picks its suite: `.test.ts` is pure or nearly so and part of `npm run check`; `.int.test.ts`
 * starts a real store or a real HTTP server; `tests/` holds the suites that start whole processes.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: MixedSequencer },
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
          // To load the server anew for each file takes 0.4 seconds of a processor.
          isolate: false,
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          env: COMPILED,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          ...(process.env.TUTTI_TEST_STORE === 'postgres'
            ? { exclude: Object.keys(SQLITE_FILES), globalSetup: [POSTGRES] }
            : {}),
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'e2e-postgres',
          include: [...STORE_FILES],
          env: { TUTTI_TEST_STORE: 'postgres' },
          globalSetup: [POSTGRES],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'security',
          include: ['tests/security/**/*.test.ts'],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          testTimeout: HANGS_MS,
          // A browser may have to be installed first.
          hookTimeout: 600_000,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'technologies',
          include: ['tests/technologies/*.test.ts'],
          testTimeout: HANGS_MS,
          // With the installation of what is not there yet, while others install theirs.
          hookTimeout: 600_000,
          ...SIDE_BY_SIDE,
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
          hookTimeout: HANGS_MS,
          ...SIDE_BY_SIDE,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: HANGS_MS,
          ...SIDE_BY_SIDE,
        },
      },
    ],
  },
});
