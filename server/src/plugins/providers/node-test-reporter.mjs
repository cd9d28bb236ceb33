// The reporter of node-test.yaml, which has it in base64 without lines of comment. The reporter `junit` shows tests with subtests and suites
// as elements that cannot fail. Where one failed for more than its subtests, by itself or in a hook, it gets a test case of its name.
import { junit } from 'node:test/reporters';

async function* withOwnFailures(source) {
  const children = [];
  for await (const event of source) {
    const { type, data } = event;
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
    yield event;
  }
}

// biome-ignore lint/style/noDefaultExport: the runner takes this one.
export default (source) => junit(withOwnFailures(source));
