/** Pictures of a report for the documents: in the light, in the dark, on a phone. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

interface Picture {
  readonly name: string;
  readonly options: BrowserContextOptions & { readonly viewport: { readonly width: number } };
  /** The section that the picture begins with; the top of the page without one. */
  readonly from?: string;
  /** The last section in it. */
  readonly to: string;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'report-light.png',
    options: { colorScheme: 'light', viewport: { width: 1100, height: 900 } },
    to: 'Failures',
  },
  {
    name: 'report-dark.png',
    options: { colorScheme: 'dark', viewport: { width: 1100, height: 900 } },
    from: 'Jobs',
    to: 'By job',
  },
  {
    name: 'report-phone.png',
    options: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
    to: 'Summary',
  },
];
/** Pixels of the ground around the sections; less than lies between two of them. */
const MARGIN = 16;

/** Writes them into a folder, under the names that the documents show. */
export async function takePictures(
  browser: Browser,
  htmlFile: string,
  folder: string,
): Promise<void> {
  for (const { name, options, from, to } of PICTURES) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(htmlFile).href);
    const top = from === undefined ? 0 : (await boxOf(page, from)).y - MARGIN;
    const last = await boxOf(page, to);
    const height = last.y + last.height + MARGIN - top;
    const clip = { x: 0, y: top, width: options.viewport.width, height };
    await page.screenshot({ path: join(folder, name), fullPage: true, clip });
    await context.close();
  }
}

async function boxOf(page: Page, section: string) {
  const heading = page.getByRole('heading', { name: section, exact: true });
  const box = await page.locator('section', { has: heading }).boundingBox();
  if (box === null) throw new Error(`The report has no section "${section}".`);
  return box;
}
