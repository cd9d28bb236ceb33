/** Reports of .NET test platforms, shortened to the essentials. */

export const trx = `\ufeff<?xml version="1.0" encoding="utf-8"?>
<TestRun id="r" name="me@host 2026-01-31" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Times creation="2026-01-31T12:34:56.1234567+00:00" />
  <Results>
    <UnitTestResult executionId="e1" testId="t1" testName="Adds" duration="00:00:01.5000000" outcome="Passed" testListId="l"><Output><StdOut>printed</StdOut></Output></UnitTestResult>
    <UnitTestResult executionId="e2" testId="t2" testName="Adds" duration="00:01:00" outcome="Failed">
      <Output><ErrorInfo><Message>Assert.AreEqual failed. Expected:&lt;1&gt;.</Message><StackTrace>   at Acme.CartTest.Adds() in C:\\a.cs:line 12</StackTrace></ErrorInfo></Output>
    </UnitTestResult>
    <UnitTestResult testId="t3" testName="Acme.ShipTest.Ships(city: &quot;St. Gallen&quot;)" outcome="NotExecuted"><Output><ErrorInfo><Message>no carrier</Message></ErrorInfo></Output></UnitTestResult>
    <UnitTestResult testId="t4" testName="Pays" outcome="Failed">
      <InnerResults>
        <UnitTestResult testId="t4" testName="Pays (Data Row 0)" duration="00:00:00.0010000" outcome="Passed" />
        <UnitTestResult testId="t4" testName="Pays (Data Row 1)" outcome="Timeout" />
      </InnerResults>
    </UnitTestResult>
    <UnitTestResult testId="t9" testName="Stops" />
  </Results>
  <TestDefinitions>
    <UnitTest name="Adds" storage="a.dll" id="t1"><Execution id="e1" /><TestMethod codeBase="a.dll" className="Acme.CartTest" name="Adds" /></UnitTest>
    <UnitTest name="Adds" id="t2"><TestMethod className="Acme.ListTest, Acme, Version=1.0.0.0" name="Adds" /></UnitTest>
    <UnitTest name="Ships" id="t3"><TestMethod className="Acme.ShipTest" name="Ships" /></UnitTest>
    <UnitTest name="Pays" id="t4"><TestMethod className="Acme.CartTest" name="Pays" /></UnitTest>
  </TestDefinitions>
  <ResultSummary outcome="Failed"><Counters total="5" />
    <RunInfos><RunInfo computerName="h" outcome="Error"><Text>The agent process stopped.</Text></RunInfo><RunInfo outcome="Warning"><Text>slow</Text></RunInfo></RunInfos>
  </ResultSummary>
</TestRun>
`;

export const nunit3 = `<?xml version="1.0" encoding="utf-8" standalone="no"?>
<test-run id="0" testcasecount="4" result="Failed" duration="0.5">
  <test-suite type="Assembly" name="Acme.dll" fullname="/ws/Acme.dll" result="Failed" site="Child">
    <failure><message><![CDATA[One or more child tests had errors]]></message></failure>
    <test-suite type="TestFixture" name="CartTest" fullname="Acme.CartTest" classname="Acme.CartTest" result="Failed" site="Child">
      <failure><message>One or more child tests had errors</message></failure>
      <test-case id="1" name="Adds(1.5,&quot;a.b&quot;)" fullname="Acme.CartTest.Adds(1.5,&quot;a.b&quot;)" methodname="Adds" classname="Acme.CartTest" result="Passed" duration="0.012" asserts="1"><output><![CDATA[printed]]></output></test-case>
      <test-case id="2" name="Removes" fullname="Acme.CartTest.Removes" classname="Acme.CartTest" result="Failed" duration="0.2">
        <failure><message><![CDATA[Expected: 1
But was: 2]]></message><stack-trace><![CDATA[at Acme.CartTest.Removes()]]></stack-trace></failure>
        <assertions><assertion result="Failed"><message>Expected: 1</message></assertion></assertions>
      </test-case>
      <test-case id="3" name="Throws" fullname="Acme.CartTest.Throws" classname="Acme.CartTest" result="Failed" label="Error"><failure><message>System.Exception : no</message></failure></test-case>
      <test-case id="4" name="Ships" fullname="Acme.CartTest.Ships" classname="Acme.CartTest" result="Skipped" label="Ignored"><reason><message>no carrier</message></reason></test-case>
      <test-case id="5" name="Maybe" fullname="Acme.CartTest.Maybe" classname="Acme.CartTest" result="Inconclusive"/>
    </test-suite>
    <test-suite type="TestFixture" name="DbTest" fullname="Acme.DbTest" result="Failed" site="TearDown">
      <failure><message>TearDown : no connection</message></failure>
      <test-case name="Reads" fullname="Acme.DbTest.Reads" classname="Acme.DbTest" result="Passed" duration="0.1"/>
    </test-suite>
  </test-suite>
</test-run>
`;

export const nunit2 = `<?xml version="1.0" encoding="utf-8" standalone="no"?>
<test-results name="Acme.dll" total="3" errors="0" failures="1" date="2026-01-31" time="12:34:56">
  <environment nunit-version="2.6.4" />
  <test-suite type="Assembly" name="Acme.dll" executed="True" result="Failure" success="False" time="0.1">
    <results>
      <test-suite type="TestFixture" name="CartTest" executed="True" result="Failure">
        <results>
          <test-case name="Acme.CartTest.Adds" executed="True" result="Success" success="True" time="0.012" asserts="1" />
          <test-case name="Acme.CartTest.Removes" executed="True" result="Failure" success="False" time="0,2"><failure><message>no</message><stack-trace>at x</stack-trace></failure></test-case>
          <test-case name="Acme.CartTest.Ships" executed="False" result="Ignored"><reason><message>no carrier</message></reason></test-case>
          <test-case name="Acme.CartTest.Old" executed="True" success="False" time="0.1"><failure><message>older</message></failure></test-case>
          <test-case name="Acme.CartTest.Older" executed="False" />
        </results>
      </test-suite>
    </results>
  </test-suite>
</test-results>
`;

export const xunit = `<?xml version="1.0" encoding="utf-8"?>
<assemblies timestamp="01/31/2026 12:34:56">
  <assembly name="C:\\ws\\Acme.dll" run-date="2026-01-31" total="3" passed="1" failed="1" skipped="1" time="0.5" errors="1">
    <errors><error type="assembly-cleanup"><failure exception-type="System.Exception"><message>disk full</message><stack-trace>at y</stack-trace></failure></error></errors>
    <collection name="Test collection for Acme.CartTest" total="3">
      <test name="Acme.CartTest.Adds(price: 1.5)" type="Acme.CartTest" method="Adds" time="0.0120000" result="Pass"><traits><trait name="a" value="b"/></traits><output><![CDATA[printed]]></output></test>
      <test name="Acme.CartTest.Removes" type="Acme.CartTest" method="Removes" time="0.2" result="Fail">
        <failure exception-type="Xunit.Sdk.EqualException"><message><![CDATA[Assert.Equal() Failure]]></message><stack-trace><![CDATA[at Acme.CartTest.Removes()]]></stack-trace></failure>
      </test>
      <test name="Given a cart" type="Acme.CartTest" method="Ships" time="0" result="Skip"><reason><![CDATA[no carrier]]></reason></test>
    </collection>
  </assembly>
</assemblies>
`;
