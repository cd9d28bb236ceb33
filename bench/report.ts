/**
 * Measures a summary report of 100 000 test cases: its creation and size. Chromium opens it and filters its longest table. The test cases
 * are in memory as JSON, so only the report is measured.
 */
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { Timestamp } from '@tutti/manifests';
import type { Browser } from 'playwright-core';
import { summaryContent } from '../server/src/plugins/insightcollector/summary-content.ts';
import { surefireContent } from '../server/src/plugins/insightcollector/surefire-content.ts';
import {
  memorySpool,
  SHOP_JOBS,
  sampleRun,
  sampleStore,
  shopCase,
  summaryOptions,
} from '../server/src/plugins/insightcollector/testing.ts';
import { findWholeChromium, launchChromium } from '../tests/support/browser.ts';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';

const NOW = '2026-01-31T13:00:00.000000' as Timestamp;
const MIB = 1024 * 1024;

await runBenchmark('report', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const count = scale(100_000, 500);
  const rounds = scale(3, 1);
  const store = sampleStore(count, shopCase, SHOP_JOBS);
  const page = join(folder, 'report.html');
  const xml = join(folder, 'report.xml');
  const write = (file: string, content: AsyncIterable<Uint8Array>) =>
    timed(() => pipeline(content, createWriteStream(file)));
  const pages = await repeat(rounds, () =>
    write(page, summaryContent({ store, run: sampleRun(), generatedAt: NOW }, summaryOptions())),
  );
  const xmls = await repeat(rounds, () =>
    write(xml, surefireContent(store, sampleRun(), null, memorySpool)),
  );
  return [
    figure(`page of ${count} test cases, made`, pages, 'ms', { atMost: 10_000 }),
    figure('page, size', [(await stat(page)).size / MIB], 'MiB'),
    ...(await inBrowser(page, rounds)),
    figure(`XML of ${count} test cases, made`, xmls, 'ms'),
    figure('XML, size', [(await stat(xml)).size / MIB], 'MiB'),
  ];
}

/** Empty without a browser. */
async function inBrowser(file: string, rounds: number): Promise<readonly Figure[]> {
  const program = findWholeChromium();
  if (program === null) return [];
  const browser = await launchChromium(program);
  try {
    const looks = await repeat(rounds, () => look(browser, pathToFileURL(file).href));
    const opened = looks.map(({ openMs }) => openMs);
    const filtered = looks.map(({ filterMs }) => filterMs);
    return [
      figure('page, open in Chromium', opened, 'ms', { atMost: 2_000 }),
      figure('page, first filter of all rows', filtered, 'ms'),
    ];
  } finally {
    await browser.close();
  }
}

async function look(browser: Browser, url: string) {
  const page = await browser.newPage();
  const openMs = await timed(() => page.goto(url));
  const all = page.locator('section').last();
  const filterMs = await timed(async () => {
    await all.getByRole('searchbox').fill('variant 499 of');
    await all.getByText('1 to 1 of 1').waitFor();
  });
  await page.close();
  return { openMs, filterMs };
}
