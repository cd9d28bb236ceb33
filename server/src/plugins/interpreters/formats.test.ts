import { REPORT_FORMATS } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadReader } from './formats.ts';
import { readText } from './testing/read-text.ts';

/** Pieces of every format: each reader also gets those of other formats. */
const PIECES = [
  '<testsuites>', '<testsuite name="s">', '</testsuite>', '<testcase name="t" time="1">', '</testcase>', '<failure>', '</failure>',
  '<robot>', '<suite name="s">', '</suite>', '<test name="t">', '</test>', '<status status="FAIL">', '</status>', '<msg level="FAIL">',
  '<TestRun>', '<UnitTestResult testName="a.b" outcome="Failed">', '</UnitTestResult>', '<ErrorInfo>', '<Message>', '<TestMethod/>',
  '<test-run>', '<test-suite name="s">', '<test-case name="a.b" result="Failed">', '</test-case>', '<message>', '</message>',
  '<assembly name="a">', '<test name="a.b" result="Fail"/>', '<error>', '</error>', '<![CDATA[', ']]>', '<!--', '-->', '&amp;', '&x;',
  'ok 1 - a\n', 'not ok - b # todo\n', '    ok 2 {\n', '}\n', '1..3\n', 'Bail out!\n', '# Subtest: a\n', '  ---\n', '  ...\n',
  '{"Action":"run","Package":"p","Test":"T"}\n', '{"Action":"fail","Package":"p"}\n', '{"Action":1,"Package":{}}\n', 'FAIL\tp [build failed]\n',
  '     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)\n', '   Doc-tests a\n', 'running 2 tests\n', 'test b ... ok\n',
  'test a ... ', 'FAILED\n', 'failures:\n', 'successes:\n', '---- a stdout ----\n', "thread 'a' panicked at a.rs:1:2:\n", 'error: x\n',
  'test result: FAILED. 0 passed; 1 failed;\n', 'error: could not compile `a`\n', 'error: test failed, to rerun pass `--lib`\n',
  '{"results":{"tests":[', '{"name":"a","status":"failed"}', '[{"elements":[', '{"steps":[{"result":{"status":"failed"}}]}', ',', ']', '}',
  '"name":', '"a"', '1', 'null', '\\u', ' ', '\n', '\u0000', '\ud800',
]; // biome-ignore format: one list of pieces

describe.each(REPORT_FORMATS)('%s: any input', (format) => {
  test('is read or refused, never a crash, whatever the pieces it comes in', async () => {
    const reader = await loadReader(format);
    const inputs = fc.oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 100 }),
    );
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 20 }), async (text, size) => {
        const whole = await readText(reader, text, 100_000);
        const pieced = await readText(reader, text, size);
        expect(pieced.cases).toEqual(whole.cases);
        expect(pieced.error === null).toBe(whole.error === null);
      }),
      { numRuns: 100 },
    );
  });

  test('in bytes is read or refused', async () => {
    const reader = await loadReader(format);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await readText(reader, bytes, 16);
      }),
      { numRuns: 200 },
    );
  });

  test('without content is refused as such', async () => {
    const { cases, error } = await readText(await loadReader(format), '');
    expect(cases).toEqual([]);
    expect(error).toBe('the file is empty');
  });

  test.each([' \n\n', '\u0000\u0001\u0002', '<html><body>no</body></html>', 'no tests ran'])(
    '%j is no report',
    async (text) => {
      const { cases, error } = await readText(await loadReader(format), text);
      expect(cases).toEqual([]);
      expect(error).toMatch(/^line \d+/);
    },
  );
});
