/** The keys of the page, as its list shows them. A key that is not listed does nothing. */

/** Pages by the key that follows `g`. */
export const PLACE_KEYS = {
  n: { to: '/', name: 'Now' },
  r: { to: '/runs', name: 'Runs' },
  t: { to: '/tests', name: 'Tests' },
  q: { to: '/queue', name: 'Queue' },
  e: { to: '/environments', name: 'Environments' },
  w: { to: '/workflows', name: 'Workflows' },
} as const;

/** Keys by the pages on which they act. */
export const KEY_GROUPS = [
  {
    title: 'On every page',
    keys: [
      ['Ctrl K', 'Search runs, tests, environments, pages and actions'],
      ['j k', 'Next and previous row'],
      ['← →', 'To the links of a row'],
      ['Enter', 'Open a row'],
      ['Space', 'Select a row'],
      ['/', 'Search or filter'],
      ['y', 'Copy the address'],
      ['Esc', 'Close the top layer'],
      ['?', 'This list'],
    ],
  },
  {
    title: 'On a run',
    keys: [
      ['[ ]', 'Previous and next tab'],
      ['l', 'Its log'],
      ['t', 'Its tests'],
      ['c', 'Compare it'],
      ['r', 'Run it again, after a question'],
      ['f F', 'Next and previous failure'],
      [', .', 'One event back and on'],
      ['< >', 'One begin or end of a job back and on'],
    ],
  },
  {
    title: 'In its log',
    keys: [
      ['n N', 'Next and previous hit'],
      ['j k', 'Mark the next and the previous line'],
      ['J K', 'Mark more lines, or fewer'],
      ['Ctrl F', 'Search the log; twice, the page'],
    ],
  },
] as const;

type Pressed<Keys extends string> = Keys extends `${infer First} ${infer Second}`
  ? First | Second
  : Keys;

/** A key that the list has. */
export type Key = Pressed<(typeof KEY_GROUPS)[number]['keys'][number][0]>;
