/** Traces as a collector gets them, with a real HTTP server. */
import type { RunSpan, RunTrace } from '@tutti/workflow/trace';
import { expect, onTestFinished, test } from 'vitest';
import { TRACING_LIMITS } from './limits.ts';
import { OtlpSender } from './otlp-sender.ts';
import { type OtlpCollector, openCollector } from './testing/otlp-collector.ts';

async function senderTo(): Promise<{ readonly sender: OtlpSender; readonly to: OtlpCollector }> {
  const to = await openCollector();
  const sender = new OtlpSender({ url: to.url, headers: {}, serviceName: null, version: '1' });
  onTestFinished(async () => {
    await sender.close();
    await to.close();
  });
  return { sender, to };
}

const spanOf = (index: number, more: Partial<RunSpan> = {}): RunSpan => ({
  id: (index + 1).toString(16).padStart(16, '0'),
  parentId: index === 0 ? null : '0000000000000001',
  name: `span ${index}`,
  startMs: 1_000,
  endMs: 2_000,
  error: null,
  attributes: {},
  ...more,
});

const traceOf = (spans: readonly RunSpan[]): RunTrace => ({
  id: '0af7651916cd43dd8448eb211c80319c',
  isSampled: true,
  spans,
  dropped: 0,
});

const LARGE = traceOf(
  Array.from({ length: 2 * TRACING_LIMITS.spansPerRequest + 1 }, (_, index) => spanOf(index)),
);

// Bound: Spans of a request to a collector.
test('a large trace is sent in parts, which have each of its spans once', async () => {
  const { sender, to } = await senderTo();
  await sender.send(LARGE);
  const most = TRACING_LIMITS.spansPerRequest;
  expect(to.posts.map(({ spans }) => spans.length)).toEqual([most, most, 1]);
  const sent = to.posts.flatMap(({ spans }) => spans.map(({ id }) => id));
  expect(sent).toEqual(LARGE.spans.map(({ id }) => id));
});

test('a trace of which a part was not taken was not sent, and its later parts are not tried', async () => {
  const { sender, to } = await senderTo();
  to.answerWith(400);
  await expect(sender.send(LARGE)).rejects.toThrow();
  expect(to.asked()).toBe(1);
});

test('texts that are no Unicode reach the collector as such, as it would take nothing else', async () => {
  const { sender, to } = await senderTo();
  const strange = 'half \ud83d of a sign';
  await sender.send(
    traceOf([spanOf(0, { name: strange, error: strange, attributes: { text: strange } })]),
  );
  const [span] = to.posts.flatMap(({ spans }) => spans);
  const shown = 'half \ufffd of a sign';
  expect(span).toMatchObject({ name: shown, error: shown, attributes: { text: shown } });
});
