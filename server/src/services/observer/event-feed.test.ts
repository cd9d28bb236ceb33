import { describe, expect, test } from 'vitest';
import { EventFeed } from './event-feed.ts';

const TOO_MANY = '2 readers follow workflows, which is the limit. Try again later.';

describe('readers that follow', () => {
  test('are bounded in number, and make room when they leave', () => {
    const feed = new EventFeed({ subscribeAll: () => () => undefined }, 2);
    const leave = feed.admit();
    feed.admit();
    expect(() => feed.admit()).toThrow(
      expect.objectContaining({ reason: 'TooManyRequests', message: TOO_MANY }),
    );
    leave();
    feed.admit();
  });
});
