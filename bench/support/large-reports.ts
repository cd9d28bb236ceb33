/** Large test reports of every format, in the form of their runners. One case in twenty fails, and cases have output where possible. */

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReportFormat } from '@tutti/manifests';

interface LargeReport {
  readonly head: string;
  /** The test case of that number, from 1. */
  case(number: number): string;
  readonly tail: string;
}

const OUTPUT =
  '2026-01-31 12:34:56 INFO  Cart - an item was added to the cart of a customer\n'.repeat(9);
const TRACE = '    at com.acme.shop.cart.CartTest.adds(CartTest.java:21)\n'.repeat(20);
const isFailed = (number: number): boolean => number % 20 === 0;

export const LARGE_REPORTS: Readonly<Record<ReportFormat, LargeReport>> = {
  surefire: {
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="com.acme.shop.Cart">\n',
    case: (number) =>
      `  <testcase name="adds item ${number} &amp; pays" classname="com.acme.shop.cart.CartTest${number % 97}" time="0.0${number % 1000}">\n` +
      (isFailed(number)
        ? `    <failure message="expected:&lt;${number}&gt; but was:&lt;2&gt;" type="AssertionError"><![CDATA[${TRACE}]]></failure>\n`
        : '') +
      `    <system-out><![CDATA[${OUTPUT}]]></system-out>\n  </testcase>\n`,
    tail: '</testsuite>\n</testsuites>\n',
  },
  robot: {
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<robot generator="Robot 7.1"><suite id="s1" name="Shop">\n',
    case: (number) =>
      `<test id="s1-t${number}" name="Adds ${number}"><kw name="Log" owner="BuiltIn"><msg time="2026-01-31T12:34:56.000000" level="INFO">${OUTPUT}</msg><status status="PASS" start="2026-01-31T12:34:56.000000" elapsed="0.001"/></kw><status status="${isFailed(number) ? 'FAIL' : 'PASS'}" start="2026-01-31T12:34:56.000000" elapsed="0.002">${isFailed(number) ? TRACE : ''}</status></test>\n`,
    tail: '<status status="FAIL" start="2026-01-31T12:34:56.000000" elapsed="9"/></suite><errors></errors></robot>\n',
  },
  trx: {
    head: '<?xml version="1.0" encoding="utf-8"?>\n<TestRun><Results>\n',
    case: (number) =>
      `<UnitTestResult testId="t${number}" testName="Acme.Shop.CartTest.Adds(item: ${number})" duration="00:00:00.0012345" outcome="${isFailed(number) ? 'Failed' : 'Passed'}"><Output><StdOut>${OUTPUT}</StdOut>${isFailed(number) ? `<ErrorInfo><Message>no</Message><StackTrace>${TRACE}</StackTrace></ErrorInfo>` : ''}</Output></UnitTestResult>\n`,
    tail: '</Results></TestRun>\n',
  },
  nunit: {
    head: '<?xml version="1.0" encoding="utf-8"?>\n<test-run><test-suite type="Assembly" name="Acme.dll">\n',
    case: (number) =>
      `<test-case name="Adds(${number})" fullname="Acme.CartTest.Adds(${number})" classname="Acme.CartTest" result="${isFailed(number) ? 'Failed' : 'Passed'}" duration="0.001">${isFailed(number) ? `<failure><message>no</message><stack-trace>${TRACE}</stack-trace></failure>` : ''}<output><![CDATA[${OUTPUT}]]></output></test-case>\n`,
    tail: '</test-suite></test-run>\n',
  },
  xunit: {
    head: '<?xml version="1.0" encoding="utf-8"?>\n<assemblies><assembly name="Acme.dll"><collection name="c">\n',
    case: (number) =>
      `<test name="Acme.CartTest.Adds(item: ${number})" type="Acme.CartTest" method="Adds" time="0.0012" result="${isFailed(number) ? 'Fail' : 'Pass'}">${isFailed(number) ? `<failure exception-type="E"><message>no</message><stack-trace>${TRACE}</stack-trace></failure>` : ''}<output><![CDATA[${OUTPUT}]]></output></test>\n`,
    tail: '</collection></assembly></assemblies>\n',
  },
  cucumber: {
    head: '[{"keyword":"Feature","uri":"features/cart.feature","elements":[{}',
    case: (number) =>
      `,${JSON.stringify({ id: `cart;adds-${number}`, keyword: 'Scenario', type: 'scenario', name: `Adds ${number}`, steps: [{ keyword: 'Given ', name: 'a cart', result: { status: isFailed(number) ? 'failed' : 'passed', duration: 1_000_000, ...(isFailed(number) ? { error_message: TRACE } : {}) }, output: [OUTPUT] }] })}`,
    tail: '],"name":"Cart"}]\n',
  },
  tap: {
    head: 'TAP version 14\n',
    case: (number) =>
      `${isFailed(number) ? 'not ok' : 'ok'} ${number} - adds item ${number}\n  ---\n  duration_ms: 1.5\n  stack: |-\n${isFailed(number) ? TRACE : ''}  ...\n${OUTPUT}`,
    tail: '',
  },
  ctrf: {
    head: '{"results":{"tool":{"name":"t"},"tests":[{"name":"first","status":"passed"}',
    case: (number) =>
      `,${JSON.stringify({ name: `adds ${number}`, suite: ['shop', 'cart'], status: isFailed(number) ? 'failed' : 'passed', duration: 2, stdout: [OUTPUT], ...(isFailed(number) ? { message: 'no', trace: TRACE } : {}) })}`,
    tail: ']}}\n',
  },
  gotest: {
    head: '{"Action":"start","Package":"acme.org/shop"}\n',
    case: (number) => {
      const event = {
        Time: '2026-01-31T12:34:56.123456Z',
        Package: 'acme.org/shop',
        Test: `TestAdd/${number}`,
      };
      const said = (Action: string, more: object = {}) =>
        `${JSON.stringify({ ...event, Action, ...more })}\n`;
      return (
        said('run') +
        said('output', { Output: OUTPUT }) +
        said(isFailed(number) ? 'fail' : 'pass', { Elapsed: 0.001 })
      );
    },
    tail: '{"Action":"pass","Package":"acme.org/shop"}\n',
  },
};

/** Writes a report of at least that size; answers the number of its cases. */
export async function writeLargeReport(
  format: ReportFormat,
  file: string,
  bytesMin: number,
): Promise<number> {
  const report = LARGE_REPORTS[format];
  let count = 0;
  function* pieces(): Generator<string> {
    yield report.head;
    for (let bytes = 0; bytes < bytesMin; ) {
      let piece = '';
      for (let one = 0; one < 100; one += 1) {
        count += 1;
        piece += report.case(count);
      }
      bytes += piece.length;
      yield piece;
    }
    yield report.tail;
  }
  await pipeline(Readable.from(pieces()), createWriteStream(file));
  return count;
}
