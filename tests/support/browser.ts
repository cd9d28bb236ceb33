/** A real browser: Chromium as Debian has it, driven by Playwright. */
import { type Browser, chromium } from 'playwright-core';
import { inPath, installedProgram } from './debian-program.ts';

/** For a page that has the source of axe. To describe all that is well on a page with hundreds of rows takes a third of its time. */
export const LOOK_FOR_VIOLATIONS = "axe.run({ resultTypes: ['violations'], selectors: false })";

/**
 * Chromium without windows, in which pages need half of the processor time. The whole one where its package is missing. Null, with a
 * message, if there is none and none can be installed.
 */
export const findChromium = (): string | null =>
  inPath('chromium-headless-shell') ??
  installedProgram('chromium-headless-shell', ['chromium-headless-shell', 'fonts-dejavu-core']) ??
  findWholeChromium();

/** Chromium with its windows, as programs of others start it. Null, with a message, if there is none and none can be installed. */
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
