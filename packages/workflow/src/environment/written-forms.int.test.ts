/** Forms in which a real bash writes masked texts. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { addMasks, maskLine } from './masks.ts';

const SECRETS = [
  'plain-1',
  `it's "a" \\ b`,
  'a b&c;d|e<f>(g)!{h,i}*?[j]^k`l$m#n%o~p:~q=~r',
  'tab\tand \x1b[1m bell\x07',
  'pässwörd "1"',
  "line one's\nline \\two",
];

test.each(['C', 'C.UTF-8'])('texts that bash quotes in the locale %s are masked', (locale) => {
  for (const secret of SECRETS) {
    const written = execFileSync('bash', ['-c', `printf 'export K=%q' "$S"`], {
      env: { ...process.env, LC_ALL: locale, S: secret },
      encoding: 'utf8',
    });
    const shown = maskLine(addMasks([], [secret]), written);
    expect(shown).toMatch(/^export K=(?:\*\*\*|\$'\*\*\*(?:\\n\*\*\*)?')$/);
  }
});
