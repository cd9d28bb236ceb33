/** Reports of test runners, shortened to their differences. */

export const surefire = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.0.2" name="com.acme.CartTest"
    time="1,234.6" tests="5" errors="1" skipped="1" failures="1">
  <properties>
    <property name="java.version" value="21.0.2"/>
    <property name="line.separator" value="&#10;"/>
  </properties>
  <testcase name="addsItem" classname="com.acme.CartTest" time="0.012"/>
  <testcase name="removesItem" classname="com.acme.CartTest" time="1,234.5">
    <failure message="expected:&lt;1&gt; but was:&lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[
at com.acme.CartTest.removesItem(CartTest.java:21)
]]></failure>
    <system-out><![CDATA[<failure message="not one"/> printed by the test]]></system-out>
  </testcase>
  <testcase name="checksOut" classname="com.acme.CartTest" time="0">
    <error type="java.lang.NullPointerException">java.lang.NullPointerException</error>
  </testcase>
  <testcase name="ships" classname="com.acme.CartTest" time="0"><skipped message="no carrier"/></testcase>
  <testcase name="pays" classname="com.acme.CartTest" time="0.1">
    <flakyFailure message="timeout" type="T"><stackTrace>at x</stackTrace><system-err>e</system-err></flakyFailure>
  </testcase>
</testsuite>
`;

const pytest = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0"
failures="1" skipped="1" tests="4" time="0.045" timestamp="2026-01-31T12:34:56.123456+00:00" hostname="h"><testcase
classname="tests.test_cart.TestCart" name="test_add[1-2]" time="0.001" /><testcase classname="tests.test_cart"
name="test_remove" time="0.002"><failure message="assert 1 == 2">def test_remove():
&gt;       assert 1 == 2
E       assert 1 == 2</failure></testcase><testcase classname="tests.test_ship" name="test_remove" time="0.000"><skipped
type="pytest.xfail" message="later" /></testcase><testcase classname="" name="tests.test_broken" time="0.000"><error
message="collection failure">ImportError: no module</error></testcase></testsuite></testsuites>`;

const nodeTest = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="top works" time="0.000559" classname="test" file="/srv/ws/cart.test.mjs"/>
	<testcase name="old node" time="0.000559" classname="test"/>
	<testsuite name="outer" time="0.002675" disabled="0" errors="0" tests="2" failures="1" skipped="1" hostname="vm">
		<testcase name="adds" time="0.000144" classname="outer" file="/srv/ws/cart.test.mjs"/>
		<testsuite name="inner" time="0.002251" disabled="0" errors="0" tests="3" failures="1" skipped="2" hostname="vm">
			<testcase name="fails &amp; &lt;dies>" time="0.001693" classname="test" failure="1 == 2">
				<failure type="testCodeFailure" message="1 == 2">
Error [ERR_TEST_FAILURE]: 1 == 2
    at new Promise (&lt;anonymous>)
				</failure>
			</testcase>
			<testcase name="skipped" time="0.000093" classname="test">
				<skipped type="skipped" message="true"/>
			</testcase>
			<testcase name="later" time="0.000092" classname="test">
				<skipped type="todo" message="true"/>
				<failure type="testCodeFailure" message="not yet">x</failure>
			</testcase>
		</testsuite>
	</testsuite>
	<!-- tests 5 -->
	<!-- suites 2 -->
</testsuites>
`;

const vitest = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="2" failures="1" errors="0" time="0.31">
    <testsuite name="src/cart.test.ts" timestamp="2026-01-31T12:34:56.123Z" hostname="h" tests="2" failures="1" errors="0" skipped="0" time="0.006">
        <testcase classname="src/cart.test.ts" name="cart &gt; adds an item" time="0.0012">
        </testcase>
        <testcase classname="src/cart.test.ts" name="cart &gt; removes an item" time="0.004">
            <failure message="expected 1 to be 2 // Object.is equality" type="AssertionError">
AssertionError: expected 1 to be 2
            </failure>
        </testcase>
    </testsuite>
</testsuites>
`;

const robot = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Shop" tests="3" errors="0" failures="1" skipped="1" time="0.061" timestamp="2026-01-31T12:34:56.000000">
<testsuite name="Cart" id="s1-s1" tests="3" errors="0" failures="1" skipped="1" time="0.045">
<testcase classname="Shop.Cart" name="Adds An Item" time="0.010">
</testcase>
<testcase classname="Shop.Cart" name="Removes An Item" time="0.020">
<failure message="1 != 2" type="AssertionError"/>
</testcase>
<testcase classname="Shop.Cart" name="Ships" time="0.000">
<skipped message="Test skipped using 'wip' tag." type="SkipExecution"/>
</testcase>
</testsuite>
</testsuite>
`;

const cucumber = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<testsuite errors="0" failures="1" name="Cucumber" skipped="1" tests="3" time="0.25">
  <testcase classname="Cart" name="Adding an item" time="0.101">
    <system-out><![CDATA[Given an empty cart...........passed]]></system-out>
  </testcase>
  <testcase classname="Cart" name="Removing an item - Example #1.1" time="0.05">
    <failure message="gone" type="java.lang.AssertionError"><![CDATA[Given...failed]]></failure>
  </testcase>
  <testcase classname="Cart" name="Undefined" time="0"><skipped><![CDATA[Given...undefined]]></skipped></testcase>
</testsuite>
`;

const googleTest = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" name="AllTests">
  <testsuite name="Cart" tests="2">
    <testcase name="Adds" status="run" result="completed" time="0." classname="Cart" />
    <testcase name="DISABLED_Removes" status="notrun" result="suppressed" time="0." classname="Cart" />
  </testsuite>
</testsuites>`;

export interface SampleReport {
  readonly producer: string;
  readonly xml: string;
  /** `suite#name status`, in order. */
  readonly expected: readonly string[];
}

export const reports: readonly SampleReport[] = [
  {
    producer: 'surefire',
    xml: surefire,
    expected: [
      'com.acme.CartTest#addsItem SUCCESS',
      'com.acme.CartTest#removesItem FAILURE',
      'com.acme.CartTest#checksOut ERROR',
      'com.acme.CartTest#ships SKIPPED',
      'com.acme.CartTest#pays FAILURE',
      'com.acme.CartTest#pays SUCCESS',
    ],
  },
  {
    producer: 'pytest',
    xml: pytest,
    expected: [
      'tests.test_cart.TestCart#test_add[1-2] SUCCESS',
      'tests.test_cart#test_remove FAILURE',
      'tests.test_ship#test_remove SKIPPED',
      'pytest#tests.test_broken ERROR',
    ],
  },
  {
    producer: 'node:test',
    xml: nodeTest,
    expected: [
      'cart.test.mjs#top works SUCCESS',
      'test#old node SUCCESS',
      'outer#adds SUCCESS',
      'outer > inner#fails & <dies> FAILURE',
      'outer > inner#skipped SKIPPED',
      'outer > inner#later SKIPPED',
    ],
  },
  {
    producer: 'vitest',
    xml: vitest,
    expected: [
      'src/cart.test.ts#cart > adds an item SUCCESS',
      'src/cart.test.ts#cart > removes an item FAILURE',
    ],
  },
  {
    producer: 'Robot Framework',
    xml: robot,
    expected: [
      'Shop.Cart#Adds An Item SUCCESS',
      'Shop.Cart#Removes An Item FAILURE',
      'Shop.Cart#Ships SKIPPED',
    ],
  },
  {
    producer: 'Cucumber',
    xml: cucumber,
    expected: [
      'Cart#Adding an item SUCCESS',
      'Cart#Removing an item - Example #1.1 FAILURE',
      'Cart#Undefined SKIPPED',
    ],
  },
  {
    producer: 'GoogleTest',
    xml: googleTest,
    expected: ['Cart#Adds SUCCESS', 'Cart#DISABLED_Removes SKIPPED'],
  },
  {
    producer: 'a runner that gives the bare minimum',
    xml: '\n<testcase/>',
    expected: ['null#(unnamed) SUCCESS'],
  },
];
