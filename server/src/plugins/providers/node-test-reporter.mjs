// The reporter of node-test.yaml, which has it in base64 without lines of comment. The reporter `junit` shows tests with subtests and
// suites as elements that cannot fail. A test that failed by itself or in a hook, not only in subtests, gets its own test case. It also
// escapes quotation marks twice. Until it has written, characters that no text has stand for them, and for their look-alikes.
import { junit } from 'node:test/reporters';

const marked = (text) =>
  typeof text === 'string' ? text.replaceAll('&', '\uFDD0').replaceAll('"', '\uFDD1') : text;

const written = (xml) => xml.replaceAll('\uFDD0', '&amp;').replaceAll('\uFDD1', '&quot;');

// The error as a whole is shown as it is behind the proxy. Its text has no quotation marks to escape.
const markedError = (error) =>
  new Proxy(error, { get: (own, key) => (key === 'message' ? marked(own[key]) : own[key]) });

function markedData(data) {
  const texts = Object.entries(data).map(([key, value]) => [key, marked(value)]);
  const { details } = data;
  const isError = details?.error instanceof Error;
  const more = isError ? { details: { ...details, error: markedError(details.error) } } : {};
  return { ...Object.fromEntries(texts), ...more };
}

async function* shownEvents(source) {
  const children = [];
  for await (const event of source) {
    const { type } = event;
    const data = /^test:(?:start|pass|fail)$/.test(type) ? markedData(event.data) : event.data;
    if (type === 'test:pass' || type === 'test:fail') {
      const { nesting, details } = data;
      const isParent = children[nesting + 1] > 0;
      children[nesting + 1] = 0;
      children[nesting] = (children[nesting] ?? 0) + 1;
      if (type === 'test:fail' && isParent && details.error?.failureType !== 'subtestsFailed') {
        const own = { ...data, nesting: nesting + 1 };
        yield { type: 'test:start', data: own };
        yield { type, data: own };
      }
    }
    yield { type, data };
  }
}

// biome-ignore lint/style/noDefaultExport: the runner takes this one.
export default async function* reportTests(source) {
  for await (const xml of junit(shownEvents(source))) yield written(xml);
}
