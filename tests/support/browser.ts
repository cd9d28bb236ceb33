/** A real browser: Chromium as Debian has it, driven by Playwright. */
import { type Browser, chromium } from 'playwright-core';
import { inPath, installedProgram } from './debian-program.ts';

/** For a page that has the source of axe. To describe all that is well on a page with hundreds of rows takes a third of its time. */
export const LOOK_FOR_VIOLATIONS = "axe.run({ resultTypes: ['violations'], selectors: false })";

/**
 * Chromium without windows: pages need half of the processor time in it. Without its package, the whole one; null, with a message, if
 * there is none and none can be installed.
 */
export const findChromium = (): string | null =>
  inPath('chromium-headless-shell') ??
  installedProgram('chromium-headless-shell', ['chromium-headless-shell', 'fonts-dejavu-core']) ??
  findWholeChromium();

/** Chromium as programs of others start it, with its windows; null, with a message, if there is none and none can be installed. */
export function findWholeChromium(): string | null {
  const found =
    inPath('chromium') ??
    inPath('google-chrome') ??
    installedProgram('chromium', ['chromium', 'fonts-dejavu-core']);
  if (found === null) {
    process.stderr.write('SKIPPED: there is no Chromium, so nobody looked at a report.\n');
  }
  return found;
}

export function launchChromium(program: string): Promise<Browser> {
  // Its sandbox refuses to run as root, as tests in containers do.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: program, args });
}
