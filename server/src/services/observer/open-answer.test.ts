import { describe, expect, test } from 'vitest';
import { EventFeed } from './open-answer.ts';

const TOO_MANY = '2 readers follow workflows, which is the limit. Try again later.';

const ALICE = { subject: 'alice', namespaces: new Set(['team-a']) };

function openFeed(followers: number, subjectShare: number): EventFeed {
  const limits = { followers, subjectShare, namespaceShare: 1 };
  return new EventFeed({ subscribeAll: () => () => undefined }, limits);
}

describe('readers that follow', () => {
  // Bound: Open answers (events, logs), and gates that wait for test results.
  test('are bounded in number, and make room when they leave', () => {
    const feed = openFeed(2, 1);
    const leave = feed.admit(ALICE);
    feed.admit(ALICE);
    expect(() => feed.admit(ALICE)).toThrow(
      expect.objectContaining({ reason: 'TooManyRequests', message: TOO_MANY }),
    );
    leave();
    feed.admit(ALICE);
  });

  test('have a share for each subject', () => {
    const feed = openFeed(8, 0.25);
    for (const _ of [1, 2]) feed.admit(ALICE);
    expect(() => feed.admit(ALICE)).toThrow(
      'User "alice" may have 2 of the 8 answers that stay open (limits.followers): the share of one subject (limits.subjectShare). Try again later.',
    );
    feed.admit({ ...ALICE, subject: 'bob' });
  });
});
