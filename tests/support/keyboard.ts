/** A page as somebody goes through it with the tab key. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Presses `g` and the key of a page. The second one does not wait for the page, so their times are close on any machine. */
export async function pressPair(page: Page, key: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
}

/** No page has as many stops. */
const STOPS_MAX = 300;

/** Says what is wrong with the element that has the focus; null at one that had it before. */
const LOOK = `new Promise((resolve) => requestAnimationFrame(() => {
  const seen = window.seenStops ??= new Set();
  const stop = document.activeElement;
  // Behind the last stop are the bars of the browser.
  if (stop === null || stop === document.body) return resolve([]);
  if (seen.has(stop)) return resolve(null);
  seen.add(stop);
  const name = stop.outerHTML.slice(0, 160);
  const style = getComputedStyle(stop);
  const label = stop.closest('label');
  const isRinged = [style, label && getComputedStyle(label)].some(
    (each) => each && each.outlineStyle !== 'none' && parseFloat(each.outlineWidth) >= 2,
  );
  const box = stop.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, Math.max(0, box.top) + Math.min(box.height, innerHeight) / 2];
  const there = document.elementFromPoint(x, Math.min(y, innerHeight - 1));
  const isHidden = there === null || !(stop.contains(there) || there.contains(stop) || label?.contains(there));
  resolve([...(isRinged ? [] : ['no ring: ' + name]), ...(isHidden ? ['hidden: ' + name] : [])]);
}))`;

/**
 * Actions without a stop. A group of choices has one. Tables and logs have one, too, with keys of their own within it.
 */
const MISSED = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
  .filter((node) => node.checkVisibility() && !node.disabled && !window.seenStops.has(node))
  .filter((node) => node.closest('[role=grid], [role=treegrid], [aria-label=Log], main[tabindex]') !== node)
  .filter((node) => !node.closest('[role=row], [aria-label=Log]'))
  .filter((node) => node.type !== 'radio' || ![...window.seenStops].some(({ name }) => name === node.name))
  .map((node) => 'missed: ' + node.outerHTML.slice(0, 160))`;

/** Goes through all stops of the page. Fails for those that are not seen, for actions without a stop, and for traps. */
export async function expectReachable(page: Page): Promise<void> {
  await page.evaluate('void (window.seenStops = new Set())');
  const found: string[] = [];
  let stops = 0;
  for (let isNew = true; isNew && stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press('Tab');
    const problems = (await page.evaluate(LOOK)) as readonly string[] | null;
    isNew = problems !== null;
    found.push(...(problems ?? []));
  }
  if (stops === STOPS_MAX) found.push(`more than ${STOPS_MAX} stops`);
  const missed = (await page.evaluate(MISSED)) as readonly string[];
  expect([...found, ...missed], page.url()).toEqual([]);
}
