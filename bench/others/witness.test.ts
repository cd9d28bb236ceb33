import { expect, test } from 'vitest';
import { problemOf, witnessed } from './witness.ts';

const chain = { ...witnessed('chain', 'file'), commands: ['', '', ''] };
const parallel = { ...witnessed('parallel', 'file'), commands: ['', '', ''] };

const rows: readonly (readonly [lines: string, workload: typeof chain, problem: string | null])[] =
  [
    ['begun 0 begun 1 begun 2', chain, null],
    ['begun 1 begun 0 begun 2', chain, 'not each once, in order'],
    ['begun 0 begun 1', chain, 'not each once, in order'],
    ['begun begun 0 1 begun 2', chain, 'more at once than slots'],
    ['begun begun 1 0 begun 2', parallel, null],
    ['begun begun begun 2 1 0', parallel, 'more at once than slots'],
    ['begun 0 begun 1 begun 1 begun 2', parallel, 'not each once'],
    ['begun 0 begun 2', parallel, 'not each once'],
  ];

test.each(rows)(
  'what the commands wrote, %s, tells what a tool did',
  (lines, workload, problem) => {
    expect(problemOf(lines.split(' '), workload, 2)).toBe(problem);
  },
);
