/** The sentences of documents: short ones, without riddles. */
import { describe, expect, test } from 'vitest';
import { lengthAt, riddlesIn, sentencesOf } from './prose.ts';
import { pathsBelow, readRepositoryFile } from './source-files.ts';

const WORDS_MAX = 35;
/** Their tables have the names of tests. */
const OF_TESTS = ['docs/operate/security.md', 'docs/reference/compatibility.md'];

/** Read before anything else, so each is short by itself. */
const AT_ROOT = [
  'README.md',
  'GLOSSARY.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'bench/README.md',
];

const pageOf = (path: string) => ({ path, sentences: sentencesOf(readRepositoryFile(path)) });
const docs = pathsBelow('docs', /\.md$/).map(pageOf);
const pages = [...AT_ROOT.map(pageOf), ...docs];
const ofDocs = docs.flatMap(({ sentences }) => sentences);

test.each([
  { name: 'docs/', sentences: ofDocs, count: 3000 },
  ...AT_ROOT.map((name) => ({ name, sentences: pageOf(name).sentences, count: 20 })),
])(
  '$name has short sentences: half of them at most 12 words, nine of ten at most 20',
  ({ sentences, count }) => {
    expect(sentences.length).toBeGreaterThan(count);
    expect(lengthAt(sentences, 0.5)).toBeLessThanOrEqual(12);
    expect(lengthAt(sentences, 0.9)).toBeLessThanOrEqual(20);
  },
);

test(`no sentence has more than ${WORDS_MAX} words`, () => {
  const long = pages.flatMap(({ path, sentences }) =>
    sentences.filter(({ words }) => words > WORDS_MAX).map(({ text }) => `${path}: ${text}`),
  );
  expect(long).toEqual([]);
});

test('sentences name things first, and do not speak in riddles', () => {
  const riddles = pages
    .filter(({ path }) => !OF_TESTS.includes(path))
    .flatMap(({ path, sentences }) => riddlesIn(sentences).map((text) => `${path}: ${text}`));
  expect(riddles).toEqual([]);
});

describe('the reader of sentences', () => {
  test.each([
    ['One two three. Four five six! Seven eight nine?', [3, 3, 3]],
    ['A line\nthat goes on.\n\nAnother one follows', [5, 3]],
    ['- one two three\n- four five six', [3, 3]],
    ['1. one two three\n2. four five six', [3, 3]],
    ['| one two three | four five six<br>seven eight nine |\n|---|---|', [3, 3, 3]],
    ['Call `tutti run --wait` with [the option](a.md#b) now.', [6]],
    ['# Not a sentence at all\n\nTwo words', []],
    ['```sh\nnot a sentence\n```\n\nA sentence. `Code` begins another one.', [4]],
    ['Since version 1.2 it works, e.g. with colons: one, two; three.', [11]],
  ])('%j has sentences of %j words', (text, lengths) => {
    expect(sentencesOf(text).map(({ words }) => words)).toEqual(lengths);
  });

  test('finds the length that a part of the sentences keeps to', () => {
    const sentences = [9, 3, 5, 4, 8].map((words) => ({ text: '', words }));
    expect([0.5, 0.9].map((part) => lengthAt(sentences, part))).toEqual([5, 9]);
  });

  test.each([
    'Of these the last counts.',
    'Whoever asks gets it.',
    'Those that wait are told.',
    'What is told of it comes later.',
    'The table is drawn anew.',
    'The server has what is there.',
  ])('calls %j a riddle', (text) => {
    expect(riddlesIn([{ text, words: 5 }])).toEqual([text]);
  });

  test.each(['The last one counts.', 'Who may read it?', 'What happens when things die'])(
    'lets %j be',
    (text) => {
      expect(riddlesIn([{ text, words: 5 }])).toEqual([]);
    },
  );
});
