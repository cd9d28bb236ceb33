import { describe, expect, test } from 'vitest';
import { readText, shownCases } from '../testing/read-text.ts';
import { createRobotReader } from './robot-reader.ts';

const version3 = `<?xml version="1.0" encoding="UTF-8"?>
<robot generator="Robot 3.2.2 (Python 3.9 on linux)" generated="20260131 12:34:56.123" rpa="false">
<suite id="s1" name="Shop" source="/ws/shop">
<suite id="s1-s1" name="Cart" source="/ws/shop/cart.robot">
<kw name="Open Shop" type="setup"><status status="PASS" starttime="20260131 12:34:56.000" endtime="20260131 12:34:56.100"></status></kw>
<test id="s1-s1-t1" name="Adds">
<kw name="Log" library="BuiltIn"><msg timestamp="20260131 12:34:56.150" level="INFO">fine</msg><status status="PASS" starttime="20260131 12:34:56.100" endtime="20260131 12:34:56.200"></status></kw>
<status status="PASS" starttime="20260131 12:34:56.100" endtime="20260131 12:34:57.600" critical="yes"></status>
</test>
<test id="s1-s1-t2" name="Removes">
<kw name="Should Be Equal" library="BuiltIn"><msg timestamp="20260131 23:59:59.900" level="FAIL">1 != 2
at line 3</msg><status status="FAIL" starttime="20260131 23:59:59.900" endtime="20260201 00:00:00.100"></status></kw>
<status status="FAIL" starttime="20260131 23:59:59.900" endtime="20260201 00:00:00.100" critical="yes">1 != 2</status>
</test>
<status status="FAIL" starttime="20260131 12:34:56.000" endtime="20260131 12:34:58.000"></status>
</suite>
<suite id="s1-s2" name="Db"><test id="s1-s2-t1" name="Reads"><status status="PASS" starttime="N/A" endtime="N/A"/></test>
<kw name="Close" type="teardown"><msg level="FAIL">late</msg><status status="FAIL" starttime="N/A" endtime="N/A"/></kw>
<status status="FAIL" starttime="N/A" endtime="N/A">Suite teardown failed:
late</status></suite>
<status status="FAIL" starttime="20260131 12:34:56.000" endtime="20260131 12:34:58.000"></status>
</suite>
<statistics><total><stat pass="1" fail="1">All Tests</stat></total></statistics>
<errors><msg timestamp="20260131 12:34:56.000" level="ERROR">Error in file cart.robot: no keyword</msg><msg level="WARN">old</msg></errors>
</robot>
`;

const version7 = `<?xml version="1.0" encoding="UTF-8"?>
<robot generator="Robot 7.1 (Python 3.12 on linux)" generated="2026-01-31T12:34:56.123456" rpa="false" schemaversion="5">
<suite id="s1" name="Cart" source="/ws/cart.robot">
<kw name="Connect" type="SETUP"><msg time="2026-01-31T12:34:56.000000" level="FAIL">no host</msg><status status="FAIL" start="2026-01-31T12:34:56.000000" elapsed="0.1">no host</status></kw>
<test id="s1-t1" name="Adds" line="5">
<for flavor="IN"><iter><if><branch type="IF" condition="True"><kw name="Fail" owner="BuiltIn"><status status="NOT RUN" start="2026-01-31T12:34:56.200000" elapsed="0.000001"/></kw><status status="PASS" start="x" elapsed="0"/></branch><status status="PASS"/></if><status status="PASS"/></iter><status status="PASS"/></for>
<tag>smoke</tag>
<status status="FAIL" start="2026-01-31T12:34:56.200000" elapsed="0.012345">Parent suite setup failed:
no host</status>
</test>
<test id="s1-t2" name="Ships"><status status="SKIP" start="2026-01-31T12:34:56.200000" elapsed="0.001">no carrier</status></test>
<status status="FAIL" start="2026-01-31T12:34:56.000000" elapsed="0.2">Suite setup failed:
no host</status>
</suite>
<errors></errors>
</robot>
`;

describe('an output.xml', () => {
  test('from version 3 has nested suites, times as dates, and errors of the whole run', async () => {
    const reading = await readText(createRobotReader, version3);
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual([
      'Shop.Cart#Adds SUCCESS 1500',
      'Shop.Cart#Removes FAILURE 200 1 != 2',
      'Shop.Db#Reads SUCCESS 0',
      'Shop.Db#Shop.Db ERROR 0 Suite teardown failed:\nlate',
    ]);
    expect(reading.cases[1]?.failureDetails?.text).toBe('1 != 2\nat line 3');
    expect(reading.generalErrors).toEqual([
      'Shop.Db: Suite teardown failed:\nlate',
      'Error in file cart.robot: no keyword',
    ]);
  });

  test('from version 7 has elapsed times; a failed setup of a suite is a general error', async () => {
    const reading = await readText(createRobotReader, version7);
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual([
      'Cart#Adds FAILURE 12.345 Parent suite setup failed:\nno host',
      'Cart#Ships SKIPPED 1 no carrier',
    ]);
    expect(reading.cases[0]?.failureDetails?.text).toBe('/ws/cart.robot:5');
    expect(reading.generalErrors).toEqual(['Cart: Suite setup failed:\nno host']);
  });

  test.each(['true', 'yes'])(
    'names the pictures of a failed test behind its text (html="%s")',
    async (html) => {
      const picture = (name: string) =>
        `<kw name="Shot"><msg level="INFO" html="${html}">&lt;a href="${name}"&gt;&lt;img src="${name}"&gt;&lt;/a&gt;&lt;img src="data:image/png;base64,AAAA"&gt;&lt;a href="https://example.org/x.png"&gt;</msg></kw>`;
      const xml = `<robot><suite name="C"><test name="Ok">${picture('ok.png')}<status status="PASS"/></test>
<test name="Bad">${picture('a%20b.png')}<kw name="Fail"><msg level="FAIL">no</msg></kw><status status="FAIL">no</status></test></suite></robot>`;
      const { cases } = await readText(createRobotReader, xml);
      expect(
        cases.map(({ failureDetails, warningDetails }) => failureDetails ?? warningDetails),
      ).toEqual([undefined, { message: 'no', text: '[[ATTACHMENT|a b.png]]' }]);
    },
  );

  test('with a tear-down of a suite that failed has an error of the suite, whatever else failed for its own reason', async () => {
    const xml = `<robot><suite name="Shop"><suite name="C">
<test name="Ok"><status status="PASS"/></test>
<test name="Bad"><status status="FAIL">own reason</status></test>
<status status="FAIL">Suite teardown failed:\nbooks do not balance</status></suite>
<status status="FAIL">Suite teardown failed:\nno host</status></suite></robot>`;
    expect(shownCases(await readText(createRobotReader, xml))).toEqual([
      'Shop.C#Ok SUCCESS 0',
      'Shop.C#Bad FAILURE 0 own reason',
      'Shop.C#Shop.C ERROR 0 Suite teardown failed:\nbooks do not balance',
      'Shop#Shop ERROR 0 Suite teardown failed:\nno host',
    ]);
  });

  test('with tests that name a failed suite has no other error of it', async () => {
    const xml = `<robot><suite name="Shop"><suite name="C">
<test name="Ok"><status status="FAIL">Parent suite teardown failed:\nno host</status></test>
<test name="Bad"><status status="FAIL">own reason\n\nAlso parent suite teardown failed:\nno host</status></test>
<status status="FAIL"/></suite>
<status status="FAIL">Suite teardown failed:\nno host</status></suite></robot>`;
    const { cases, generalErrors } = await readText(createRobotReader, xml);
    expect(cases.map(({ name }) => name)).toEqual(['Ok', 'Bad']);
    expect(generalErrors).toEqual(['Shop: Suite teardown failed:\nno host']);
  });

  test('with a tear-down of a suite that failed has an error of it, though tests failed for the set-up of theirs', async () => {
    const xml = `<robot><suite name="Shop"><suite name="A">
<test name="Passes"><status status="PASS"/></test><status status="PASS"/></suite>
<suite name="B"><test name="Never"><status status="FAIL">Parent suite setup failed:\nno host</status></test>
<status status="FAIL">Suite setup failed:\nno host</status></suite>
<status status="FAIL">Suite teardown failed:\nbooks do not balance</status></suite></robot>`;
    const reading = await readText(createRobotReader, xml);
    expect(shownCases(reading)).toEqual([
      'Shop.A#Passes SUCCESS 0',
      'Shop.B#Never FAILURE 0 Parent suite setup failed:\nno host',
      'Shop#Shop ERROR 0 Suite teardown failed:\nbooks do not balance',
    ]);
    expect(reading.generalErrors).toEqual([
      'Shop.B: Suite setup failed:\nno host',
      'Shop: Suite teardown failed:\nbooks do not balance',
    ]);
  });

  test('with tests that failed for a setup has no other error of the later teardown', async () => {
    const xml = `<robot><suite name="Shop"><suite name="B">
<test name="Never"><status status="FAIL">Parent suite setup failed:\nno host</status></test>
<status status="FAIL">Parent suite setup failed:\nno host</status></suite>
<status status="FAIL">Suite setup failed:\nno host\n\nAlso suite teardown failed:\nno key</status></suite></robot>`;
    const { cases } = await readText(createRobotReader, xml);
    expect(cases.map(({ name }) => name)).toEqual(['Never']);
  });

  test('with a test that never ended has an error', async () => {
    const xml =
      '<robot><suite name="s"><test name="t"></test><status status="FAIL"/></suite></robot>';
    expect(shownCases(await readText(createRobotReader, xml))).toEqual(['s#t ERROR 0 ']);
  });
});
