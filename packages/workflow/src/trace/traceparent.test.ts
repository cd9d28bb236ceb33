import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  // The lowest bit is the one that is defined.
  [`00-${TRACE}-${SPAN}-03`, true],
  [`00-${TRACE}-${SPAN}-02`, false],
  [`cc-${TRACE}-${SPAN}-01-what-comes-later`, true],
])('%s names a trace', (text, isSampled) => {
  const parent = parseTraceparent(text);
  expect(parent).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
});

test('a traceparent is written as it was read', () => {
  for (const flags of ['00', '01']) {
    const text = `00-${TRACE}-${SPAN}-${flags}`;
    const parent = parseTraceparent(text);
    expect(parent === null ? null : formatTraceparent(parent)).toBe(text);
  }
});

test.each([
  undefined,
  null,
  7,
  '',
  TRACE,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
])('%s names none', (value) => {
  expect(parseTraceparent(value)).toBeNull();
});
