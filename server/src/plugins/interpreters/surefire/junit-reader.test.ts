import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REPORT_LIMITS } from '../report-limits.ts';
import { type Reading, readText } from '../testing/read-text.ts';
import { parseSeconds } from '../text/duration.ts';
import { createJunitReader } from './junit-reader.ts';
import { moreReports } from './testing/more-samples.ts';
import * as samples from './testing/samples.ts';

const read = (content: string | Uint8Array, pieceSize?: number): Promise<Reading> =>
  readText(createJunitReader, content, pieceSize);

/** `suite#name status` of every case, to compare reports. */
function lines({ cases }: Reading): readonly string[] {
  return cases.map(({ suite, name, status }) => `${suite}#${name} ${status}`);
}

describe('reports of', () => {
  test.each([...samples.reports, ...moreReports])('$producer', async ({ xml, expected }) => {
    const reading = await read(xml);
    expect(reading.error).toBeNull();
    expect(lines(reading)).toEqual(expected);
  });
});

describe('details', () => {
  test('a failure has its message, type and text, a success has none', async () => {
    const { cases } = await read(samples.surefire);
    expect(cases[0]).toEqual({
      suite: 'com.acme.CartTest',
      name: 'addsItem',
      status: 'SUCCESS',
      duration: 12,
    });
    expect(cases[1]).toEqual({
      suite: 'com.acme.CartTest',
      name: 'removesItem',
      status: 'FAILURE',
      duration: 1_234_500,
      failureDetails: {
        message: 'expected:<1> but was:<2>',
        type: 'org.opentest4j.AssertionFailedError',
        text: 'at com.acme.CartTest.removesItem(CartTest.java:21)',
      },
    });
  });

  test.each([
    ['<failure message="f"/>', { message: 'f', text: 'src/CartTest.php:9' }],
    ['<failure message="f">why</failure>', { message: 'f', text: 'why\n\nsrc/CartTest.php:9' }],
    ['<failure>at /srv/CartTest.php:12</failure>', { text: 'at /srv/CartTest.php:12' }],
    ['<failure message="CartTest.php:12 failed"/>', { message: 'CartTest.php:12 failed' }],
  ])('the place of a test follows a failure without one: %s', async (failure, expected) => {
    const { cases } = await read(
      `<testsuite><testcase name="a" file="src/CartTest.php" line="9">${failure}</testcase></testsuite>`,
    );
    expect(cases[0]?.failureDetails).toEqual(expected);
  });

  test('an error beside a failure makes the case an error and keeps both', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="a"><failure message="f"/><error message="e"/></testcase></testsuite>',
    );
    expect(cases).toEqual([
      {
        suite: null,
        name: 'a',
        status: 'ERROR',
        duration: 0,
        failureDetails: { message: 'f' },
        errorDetails: { message: 'e' },
      },
    ]);
  });

  test('an error of a whole suite is a result under the name of the suite', async () => {
    const { cases, generalErrors } = await read(
      '<testsuite name="db"><error type="Timeout">no connection</error><testcase name="a"/></testsuite>',
    );
    expect(cases[0]).toMatchObject({
      suite: 'db',
      name: 'db',
      status: 'ERROR',
      errorDetails: { type: 'Timeout', text: 'no connection' },
    });
    expect(cases).toHaveLength(2);
    expect(generalErrors).toEqual(['db: no connection']);
  });

  test('several failures of one case are joined', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="a"><failure message="1 is not 2">at 1</failure><failure message="3 is not 4">at 3</failure></testcase></testsuite>',
    );
    expect(cases[0]?.failureDetails).toEqual({
      message: '1 is not 2',
      text: 'at 1\n\n3 is not 4\n\nat 3',
    });
  });

  test('the reason of a skipped case, or its warning, is kept', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="a"><skipped message="no carrier"/></testcase><testcase name="b"><warning>odd</warning></testcase></testsuite>',
    );
    expect(cases.map(({ status, warningDetails }) => [status, warningDetails])).toEqual([
      ['SKIPPED', { message: 'no carrier' }],
      ['SUCCESS', { text: 'odd' }],
    ]);
  });

  test('a failure without a text gets the output of the test', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="a"><failure message="Failed"/><system-out>segfault</system-out><system-err>core</system-err></testcase></testsuite>',
    );
    expect(cases[0]?.failureDetails).toEqual({ message: 'Failed', text: 'segfault' });
  });

  test('a case that passed after failures has them as attempts before it', async () => {
    const { cases } = await read(
      '<testsuite name="s"><testcase name="a" time="0.3"><flakyFailure message="1st" time="0.1"><stackTrace>at x</stackTrace><system-out>printed</system-out></flakyFailure><flakyError message="2nd"/></testcase></testsuite>',
    );
    const head = { suite: 's', name: 'a' };
    expect(cases).toEqual([
      { ...head, status: 'FAILURE', duration: 100, failureDetails: { message: '1st', text: 'at x' }, isAttempt: true },
      { ...head, status: 'ERROR', duration: 0, errorDetails: { message: '2nd' }, isAttempt: true },
      { ...head, status: 'SUCCESS', duration: 300 },
    ]); // biome-ignore format: one line for each execution
  });

  test('a case that failed again and again ends as the last time', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="a"><failure message="1st"/><rerunFailure message="2nd"/><rerunError message="3rd"/></testcase></testsuite>',
    );
    expect(cases.map(({ status, isAttempt = false }) => [status, isAttempt])).toEqual([
      ['FAILURE', true],
      ['FAILURE', true],
      ['ERROR', false],
    ]);
  });

  test('text is taken from CDATA, references and plain characters alike', async () => {
    const { cases } = await read(
      '<testsuite><testcase name="&lt;a&gt;"><failure>x &amp; <![CDATA[<y> ]] & ]]>&#x263a;</failure></testcase></testsuite>',
    );
    expect(cases[0]).toMatchObject({
      name: '<a>',
      failureDetails: { text: 'x & <y> ]] & \u263a' },
    });
  });

  test('long names, messages and texts are cut to their limits', async () => {
    const long = '\u{1f600}'.repeat(REPORT_LIMITS.textLengthMax);
    const { cases } = await read(
      `<testsuite><testcase name="${long}"><failure message="${long}">${long}</failure></testcase></testsuite>`,
      64 * 1024,
    );
    const [found] = cases;
    expect(found?.name.length).toBeLessThanOrEqual(REPORT_LIMITS.nameLengthMax);
    expect(found?.failureDetails?.message?.length).toBeLessThanOrEqual(
      REPORT_LIMITS.messageLengthMax,
    );
    const text = found?.failureDetails?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(REPORT_LIMITS.textLengthMax);
    expect(text.isWellFormed()).toBe(true);
    expect(text.endsWith('…')).toBe(true);
  });

  test('a text that is cut at a blank says so, as does one after many blanks', async () => {
    const room = REPORT_LIMITS.textLengthMax;
    for (const long of [`${'x'.repeat(room)} more`, `  \n${'x'.repeat(room - 1)} my secret`]) {
      const { cases } = await read(
        `<testsuite><testcase name="a"><failure>${long}</failure></testcase></testsuite>`,
        64 * 1024,
      );
      const text = cases[0]?.failureDetails?.text ?? '';
      expect(text).toBe(`${'x'.repeat(room - 1)}…`);
    }
  });
});

describe('projects of Playwright', () => {
  const suite = (host: string, name: string, end = '') =>
    `<testsuite name="a.spec.ts" hostname="${host}"><testcase name="${name}" classname="a.spec.ts">${end}</testcase></testsuite>`;

  test('are part of the suite, so that a test of two of them is two test cases', async () => {
    const suites = `${suite('desktop', 'adds')}${suite('phone', 'adds', '<failure/>')}`;
    expect(lines(await read(`<testsuites id="" name="">${suites}</testsuites>`))).toEqual([
      'desktop > a.spec.ts#adds SUCCESS',
      'phone > a.spec.ts#adds FAILURE',
    ]);
  });

  test('without a name are not', async () => {
    expect(
      lines(await read(`<testsuites id="" name="">${suite('', 'adds')}</testsuites>`)),
    ).toEqual(['a.spec.ts#adds SUCCESS']);
  });

  test('are no names of machines, which other tools put there', async () => {
    expect(lines(await read(`<testsuites>${suite('build-7', 'adds')}</testsuites>`))).toEqual([
      'a.spec.ts#adds SUCCESS',
    ]);
  });
});

describe('documents that cannot be read', () => {
  test.each<{ what: string; xml: string; error: RegExp; cases: number }>([
    { what: 'nothing', xml: '', error: /^the file is empty$/, cases: 0 },
    { what: 'blank lines', xml: ' \n\n', error: /the document is empty$/, cases: 0 },
    {
      what: 'a web page',
      xml: '<!DOCTYPE html>\n<html></html>',
      error: /^line 2, .*the document begins with <html>, expected <testsuites> or <testsuite>$/,
      cases: 0,
    },
    { what: 'plain text', xml: 'no tests ran', error: /text data outside of root node$/, cases: 0 },
    {
      what: 'a report that was cut off',
      xml: '<testsuite>\n<testcase name="a"/>\n<testcase na',
      error: /^line 3, .*unclosed tag/,
      cases: 1,
    },
    {
      what: 'an entity of its own',
      xml: '<!DOCTYPE testsuite [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<testsuite><testcase name="1"/><testcase name="&b;"/></testsuite>',
      error: /^line 2, .*undefined entity$/,
      cases: 1,
    },
    {
      what: 'an external entity',
      xml: '<!DOCTYPE testsuite [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="x"><failure>&a;</failure></testcase></testsuite>',
      error: /undefined entity$/,
      cases: 0,
    },
    {
      what: 'an encoding that nobody knows',
      xml: '<?xml version="1.0" encoding="klingon"?><testsuite/>',
      error: /the encoding "klingon" is not known$/,
      cases: 0,
    },
    {
      what: 'endless nesting',
      xml: '<testsuite>'.repeat(100),
      error: /more than 64 nested elements$/,
      cases: 0,
    },
  ])('$what', async ({ xml, error, cases }) => {
    const reading = await read(xml);
    expect(reading.error).toMatch(error);
    expect(reading.cases).toHaveLength(cases);
  });

  test('more test cases than the limit: earlier ones count', async () => {
    const xml = `<testsuite>${'<testcase/>'.repeat(101)}</testsuite>`;
    const reading = await readText(createJunitReader, xml, 64, 100);
    expect(reading.cases).toHaveLength(100);
    expect(reading.error).toContain('more than 100 test cases');
  });
});

describe('encodings', () => {
  const xml = (encoding: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><testsuite name="Größe"><testcase name="é"/></testsuite>`;
  const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'));
  const swapped = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(bytes).swap16());

  test.each<{ name: string; bytes: Uint8Array }>([
    { name: 'UTF-8', bytes: Buffer.from(xml('UTF-8')) },
    { name: 'UTF-8 with a mark', bytes: Buffer.from(`\ufeff${xml('UTF-8')}`) },
    { name: 'UTF-8 without a declaration', bytes: Buffer.from(xml('x').replace(/^.*\?>/, '')) },
    { name: 'latin1', bytes: Buffer.from(xml('ISO-8859-1'), 'latin1') },
    { name: 'UTF-16 with a mark', bytes: utf16(`\ufeff${xml('UTF-16')}`) },
    { name: 'UTF-16, big end first', bytes: swapped(utf16(`\ufeff${xml('UTF-16')}`)) },
    { name: 'UTF-16 without a mark', bytes: utf16(xml('UTF-16')) },
    { name: 'UTF-8 that says UTF-16', bytes: Buffer.from(xml('UTF-16')) },
  ])('$name', async ({ bytes }) => {
    expect(await read(bytes, 3)).toEqual({
      cases: [{ suite: 'Größe', name: 'é', status: 'SUCCESS', duration: 0 }],
      generalErrors: [],
      doubts: [],
      error: null,
    });
  });

  test('bytes outside of the encoding are marked, and reported', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<testsuite><testcase name="gr'),
      Buffer.from('ö', 'latin1'),
      Buffer.from('ße"/></testsuite>'),
    ]);
    const { cases, generalErrors, error } = await read(bytes, 5);
    expect(error).toBeNull();
    expect(cases[0]?.name).toBe('gr\ufffdße');
    expect(generalErrors).toEqual([
      'Some characters of the report are not in its encoding, utf-8; they are shown as "\ufffd".',
    ]);
  });

  test('characters that XML forbids do not stop the reading', async () => {
    const { cases, error } = await read(
      '<testsuite><testcase name="a"><failure>\u001b[31mred\u0000</failure></testcase></testsuite>',
    );
    expect(error).toBeNull();
    expect(cases[0]?.failureDetails?.text).toBe('\ufffd[31mred\ufffd');
  });
});

test.each<[string | undefined, number]>([
  ['1.5', 1500],
  ['0.0015', 1.5],
  ['1,234.5', 1_234_500],
  ['1,234', 1_234_000],
  ['12,345,678.9', 12_345_678_900],
  ['0,005', 5],
  ['2,5', 2500],
  ['1e-3', 1],
  ['.5', 500],
  ['', 0],
  [undefined, 0],
  ['-1', 0],
  ['NaN', 0],
  ['Infinity', 0],
  ['1e300', 0],
  ['31622400', 31_622_400_000],
  ['31622401', 0],
  ['a second', 0],
])('the time %j lasts %d ms', (text, durationMs) => {
  expect(parseSeconds(text)).toBe(durationMs);
});

describe('any input', () => {
  const markup = fc.constantFrom(
    '<testsuites>', '<testsuite name="s">', '</testsuite>', '<testcase name="t" time="1">', '</testcase>',
    '<failure message="m">', '</failure>', '<skipped/>', '<![CDATA[', ']]>', '<!--', '-->', '<!DOCTYPE a [',
    '&amp;', '&x;', '&#0;', '&#x110000;', '<?xml version="1.0"?>', '<a:b', 'xmlns:a="b"', '"', "'", '>', '/>', 'text', '\ud800',
  ); // biome-ignore format: one list of pieces

  test('is read or refused, never a crash, whatever the pieces it comes in', async () => {
    const inputs = fc.oneof(
      fc.array(markup, { maxLength: 30 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 100 }),
    );
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 20 }), async (text, size) => {
        const whole = await read(text, 100_000);
        const pieced = await read(text, size);
        expect(pieced.cases).toEqual(whole.cases);
        expect(pieced.error === null).toBe(whole.error === null);
      }),
      { numRuns: 100 },
    );
  });

  test('bytes of any kind are read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await read(bytes, 16);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a suite that counts more failures than its cases show', () => {
  const counted = (count: string): string =>
    `The suite counts ${count} that no test case of it shows.`;

  test.each([
    ['tests="5" failures="2" errors="1"', '', '3 failures'],
    ['tests="5" failures="2"', '<testcase name="one"/>', '2 failures'],
    ['tests="2" failures="1"', '<testcase name="one"/><testcase name="one"/>', '1 failure'],
    ['failures="2"', '<testcase name="one"><failure/></testcase>', '1 failure'],
    ['failures="1" skipped="1"', '<testcase name="one"><skipped/></testcase>', '1 failure'],
    ['failures="1"', '<testcase name="one"><warning/></testcase>', '1 failure'],
    ['failures="2" errors="1"', '<testcase name="one"><failure/></testcase>', '1 failure'],
    ['failures="1,000"', '<testcase name="one"/>', '1000 failures'],
    ['failures="12,345" errors="1.0"', '', '12346 failures'],
  ])('%s with "%s" is an error of its name', async (attributes, content, count) => {
    const reading = await read(`<testsuite name="s" ${attributes}>${content}</testsuite>`);
    expect(reading.cases.at(-1)).toEqual({
      suite: 's',
      name: 's',
      status: 'ERROR',
      duration: 0,
      errorDetails: { message: counted(count) },
    });
    expect(reading.generalErrors).toEqual([`s: ${counted(count)}`]);
  });

  test('has its printed error as text, without the output of its cases', async () => {
    const { cases } = await read(`<testsuites name="shop"><testsuite name="down" errors="1">
<system-out>asking</system-out>
<testcase name="one"><system-err>of one</system-err></testcase>
<system-err><![CDATA[RequestError: connect ECONNREFUSED]]></system-err></testsuite></testsuites>`);
    expect(cases.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'one SUCCESS',
      'down ERROR',
    ]);
    expect(cases[1]?.errorDetails).toEqual({
      message: counted('1 failure'),
      text: 'RequestError: connect ECONNREFUSED',
    });
  });

  test('has its errors in its output: they add to the failures of its cases', async () => {
    const { cases } = await read(`<testsuite name="shop" failures="1" errors="1">
<testcase name="one"><failure/></testcase><system-err>connect ECONNREFUSED</system-err></testsuite>`);
    expect(cases.at(-1)?.errorDetails).toEqual({
      message: counted('1 failure'),
      text: 'connect ECONNREFUSED',
    });
  });

  test('counts those of inner suites once', async () => {
    const inner = '<testsuite name="inner" failures="1"><testcase name="one"/></testsuite>';
    const { cases } = await read(`<testsuite name="outer" failures="1">${inner}</testsuite>`);
    expect(cases.map(({ name }) => name)).toEqual(['one', 'outer > inner']);
  });
});

describe('a report that counts more failures than its suites', () => {
  test.each([
    ['named', '<testsuites name="shop" failures="1">', 'shop'],
    ['without a name', '<testsuites errors="1">', '(report)'],
    ['of an editor', '<testrun name="shop" failures="1">', 'shop'],
  ])('%s is an error', async (_, root, name) => {
    const green = '<testsuite name="s" failures="0"><testcase name="one"/></testsuite>';
    const reading = await read(`${root}${green}</${root.match(/\w+/)?.[0]}>`);
    const message = 'The report counts 1 failure that no test case of it shows.';
    expect(reading.cases.at(-1)).toEqual({
      suite: name,
      name,
      status: 'ERROR',
      duration: 0,
      errorDetails: { message },
    });
    expect(reading.generalErrors).toEqual([`${name}: ${message}`]);
  });

  test.each([
    ['which these show', 'failures="1"', 'failures="1"', '<failure/>'],
    ['which these show without counts', 'failures="1"', '', '<failure/>'],
    ['which one of these is an error for', 'failures="1"', 'name="s" failures="1"', ''],
    ['which these count as skipped', 'failures="1" skipped="1"', 'failures="1"', '<skipped/>'],
  ])('%s has none of its own', async (_, root, suite, ends) => {
    const content = `<testsuite ${suite}><testcase name="one">${ends}</testcase></testsuite>`;
    const { cases } = await read(`<testsuites name="shop" ${root}>${content}</testsuites>`);
    expect(cases.map(({ name }) => name)).not.toContain('shop');
  });

  test('is an error where a suite without counts has a skipped case alone', async () => {
    const content = '<testsuite><testcase name="one"><skipped/></testcase></testsuite>';
    const { cases } = await read(
      `<testsuites name="shop" failures="1" skipped="1">${content}</testsuites>`,
    );
    expect(cases.at(-1)?.name).toBe('shop');
  });

  test('has none for the messages that Qt Test counts', async () => {
    const content = `<testsuite name="s" errors="3"><properties><property value="5.15" name="QTestVersion"/></properties>
<testcase name="one" result="pass"/></testsuite>`;
    const { cases } = await read(`<testsuites name="shop" errors="3">${content}</testsuites>`);
    expect(cases).toHaveLength(1);
  });
});

describe('a suite is no error of its own', () => {
  test.each([
    ['where a case has several failures', 'failures="2"', '<failure/><failure/>'],
    ['where a failure is counted as an error', 'errors="1"', '<failure/>'],
    ['where a case is counted as both', 'errors="1" failures="1"', '<error/>'],
    ['where a failure is counted as both', 'errors="1" failures="1"', '<failure/>'],
    ['where a case has both', 'errors="1" failures="1"', '<failure/><error/>'],
    ['where attempts are counted', 'failures="2"', '<failure/><rerunFailure/>'],
    ['where a case passed in the end', 'failures="1"', '<flakyFailure/>'],
    ['where what is skipped is counted as a failure', 'failures="1"', '<skipped/>'],
    ['where the count is no number', 'failures="many" errors="-1"', ''],
  ])('%s', async (_, attributes, ends) => {
    const content = `<testcase name="one">${ends}</testcase>`;
    const { cases } = await read(`<testsuite name="s" ${attributes}>${content}</testsuite>`);
    expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(['one']));
  });

  test('where the case says by an attribute how it ended', async () => {
    const content = '<testcase name="one" status="FAILED"/>';
    const { cases } = await read(`<testsuite name="s" failures="1">${content}</testsuite>`);
    expect(cases).toHaveLength(1);
  });

  test('where cases that broke off are counted as both, as Boost.Test does', async () => {
    const content = `<testcase name="adds"/><testcase name="throws"><error/><system-err>throws</system-err></testcase>
<testcase name="checks"><failure/><failure/></testcase>`;
    const { cases } = await read(
      `<testsuites tests="1" errors="1" failures="2" name="prices">${content}</testsuites>`,
    );
    expect(cases.map(({ name }) => name)).toEqual(['adds', 'throws', 'checks']);
  });

  test('where the failure is of the suite', async () => {
    const content = '<failure message="broke"/><testcase name="one"/>';
    const { cases } = await read(`<testsuite name="s" failures="1">${content}</testsuite>`);
    expect(cases.map(({ name, status }) => `${name} ${status}`)).toEqual([
      's FAILURE',
      'one SUCCESS',
    ]);
  });

  test('where it is of Qt Test, which counts messages', async () => {
    const content =
      '<properties><property value="5.15" name="QTestVersion"/></properties><testcase name="one" result="pass"/>';
    const { cases } = await read(`<testsuite name="s" errors="3">${content}</testsuite>`);
    expect(cases).toHaveLength(1);
  });

  test('where the suites in it count, and it does so without them', async () => {
    const inner =
      '<testsuite name="inner" failures="1"><testcase name="one"><failure/></testcase></testsuite>';
    const { cases } = await read(`<testsuite name="outer" failures="0">${inner}</testsuite>`);
    expect(cases.map(({ name }) => name)).toEqual(['one']);
  });
});

describe('files that the output of a test names', () => {
  const found = async (text: string, output: string, end = 'failure') => {
    const content = `<testcase name="one"><${end} message="no">${text}</${end}><system-out>${output}</system-out></testcase>`;
    const { cases } = await read(`<testsuite name="s">${content}</testsuite>`);
    return cases[0]?.failureDetails?.text ?? cases[0]?.warningDetails?.text;
  };

  test('follow the text of its failure', async () => {
    const output =
      'hello\n[[ATTACHMENT|out/a b.png]]\n\n[[ATTACHMENT|../trace.zip]]\n[[ATTACHMENT|';
    expect(await found('at line 3', output)).toBe(
      'at line 3\n\n[[ATTACHMENT|out/a b.png]]\n[[ATTACHMENT|../trace.zip]]',
    );
  });

  test('are not repeated if the text names them', async () => {
    expect(await found('see out/a.png', '[[ATTACHMENT|out/a.png]]')).toBe('see out/a.png');
  });

  test('stay if the text is cut', async () => {
    const text = await found('x'.repeat(REPORT_LIMITS.textLengthMax), '[[ATTACHMENT|a.png]]');
    expect(text).toMatch(/x…\n\n\[\[ATTACHMENT\|a\.png\]\]$/);
    expect(text?.length).toBeLessThanOrEqual(REPORT_LIMITS.textLengthMax);
  });

  test('are as many as the limit says', async () => {
    const marks = Array.from({ length: 40 }, (_, index) => `[[ATTACHMENT|${index}.png]]`);
    const text = await found('no', marks.join(''));
    expect(text?.match(/ATTACHMENT/g)).toHaveLength(REPORT_LIMITS.namedFilesMax);
  });

  test('are left out if it was skipped', async () => {
    expect(await found('', '[[ATTACHMENT|a.png]]', 'skipped')).toBeUndefined();
  });
});
