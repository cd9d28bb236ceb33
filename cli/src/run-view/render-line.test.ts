import type { Tone } from '@tutti/run-view';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { createJobStyles } from './job-styles.ts';
import { renderLine } from './shown-lines.ts';

const RED = '\u001b[31mred';

test.each<[tone: Tone, shown: string]>([
  ['output', `\u001b[2m│ \u001b[22m${RED}\u001b[0m`],
  ['step', '\u001b[36m▸ red\u001b[39m'],
  ['plain', '\u001b[1mred\u001b[22m'],
])('colours that a text brings are shown in output alone: %s', (tone, shown) => {
  const look = {
    paint: createPaint(true),
    hasColors: true,
    jobWidth: 0,
    clock: () => '12:00:00',
    prefix: null,
    lineColors: {},
    jobStyle: createJobStyles(),
  };
  const line = { at: 0, job: '', jobId: '', jobDepth: 0, depth: 0, tone, text: RED };
  expect(renderLine(line, look)).toBe(`\u001b[2m12:00:00\u001b[22m  ${shown}`);
});

test('each job keeps a colour of its own', () => {
  const styleOf = createJobStyles();
  expect(['a', 'b', 'a', 'c', 'b'].map(styleOf)).toEqual([
    'cyan',
    'magenta',
    'cyan',
    'blue',
    'magenta',
  ]);
});
