import { expect, test } from 'vitest';
import { evidenceOf, pictureOf } from './evidence.ts';

const FILES = [
  'html/index.html',
  'test-results/cart-adds/trace.zip',
  'test-results/cart-adds/test-failed-1.png',
  'test-results/cart-adds/test-failed-11.png',
  'shot-1.png',
  'screenshots/cart.cy.js/cart -- totals -- adds (failed).png',
  'screenshots/cart.cy.js/cart -- totals -- adds (failed) (attempt 2).png',
  'screenshots/cart.cy.js/cart -- totals -- adds two (failed).png',
  'videos/cart.cy.js.mp4',
  'videos/pay.cy.js.mp4',
];

test.each<[what: string, about: { name?: string; suite?: string; text?: string }, files: string[]]>(
  [
    [
      'files that the text names, in whatever folder they were',
      {
        text: 'see ../ws/r/test-results/cart-adds/test-failed-1.png ─\n[[ATTACHMENT|test-results/cart-adds/trace.zip]]',
      },
      ['test-results/cart-adds/trace.zip', 'test-results/cart-adds/test-failed-1.png'],
    ],
    [
      'paths of Windows',
      { text: 'r\\test-results\\cart-adds\\trace.zip' },
      ['test-results/cart-adds/trace.zip'],
    ],
    ['no file whose name is the end of another one', { text: 'my-shot-1.png' }, []],
    ['no pages', { text: 'html/index.html' }, []],
    [
      'files that are named after it, and the video of their file',
      { suite: 'adds', name: 'cart totals adds' },
      [
        'screenshots/cart.cy.js/cart -- totals -- adds (failed).png',
        'screenshots/cart.cy.js/cart -- totals -- adds (failed) (attempt 2).png',
        'videos/cart.cy.js.mp4',
      ],
    ],
    [
      'files that are named after it and its suite',
      { suite: 'cart totals', name: 'adds two' },
      ['screenshots/cart.cy.js/cart -- totals -- adds two (failed).png', 'videos/cart.cy.js.mp4'],
    ],
    ['nothing for a name without letters', { name: '--' }, []],
    ['nothing for others', { suite: 'pay', name: 'adds' }, []],
  ],
)('a test case has %s', (_what, { name = 'none', suite = 'none', text = '' }, files) => {
  expect(evidenceOf(FILES, { name, suite, text })).toEqual(files);
});

test.each<[what: string, pictures: string[], text: string | null, shown: string | undefined]>([
  ['the newest that its test names', ['a.png', 'b.png', 'c.png'], 'see a.png, b.png', 'b.png'],
  [
    'the newest with the name of its test',
    ['adds.png', 'adds (1).png', 'c.png'],
    '',
    'adds (1).png',
  ],
  ['the newest of all if none is of its test', ['a.png', 'b.png'], '', 'b.png'],
  ['the newest of all if no test failed', ['a.png', 'b.png'], null, 'b.png'],
  ['none if there is none', [], '', undefined],
])('the picture of a failure is %s', (_what, pictures, text, shown) => {
  const test = text === null ? null : { suite: 'cart', name: 'adds', text };
  expect(
    pictureOf(
      pictures.map((name) => ({ name })),
      test,
    )?.name,
  ).toBe(shown);
});
