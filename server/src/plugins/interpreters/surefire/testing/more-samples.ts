/** Reports of more runners, in the form in which each prints them. */
import type { SampleReport } from './samples.ts';

const jest = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jest tests" tests="3" failures="1" errors="0" time="1.234">
  <testsuite name="cart" errors="0" failures="1" skipped="1" timestamp="2026-01-31T12:34:56" time="0.9" tests="3">
    <testcase classname="cart adds an item" name="cart adds an item" time="0.005">
    </testcase>
    <testcase classname="cart removes an item" name="cart removes an item" time="0.003">
      <failure>Error: expect(received).toBe(expected)

Expected: 2
Received: 1
    at Object.toBe (/srv/ws/cart.test.js:9:15)</failure>
    </testcase>
    <testcase classname="cart ships" name="cart ships" time="0">
      <skipped/>
    </testcase>
  </testsuite>
</testsuites>`;

const mocha = `<testsuite name="Mocha Tests" tests="3" failures="0" errors="1" skipped="1" timestamp="Sat, 31 Jan 2026 12:34:56 GMT" time="0.012">
<testcase classname="cart" name="adds an item" time="0.001"/>
<testcase classname="cart when empty" name="removes an item" time="0.002"><failure>1 == 2
AssertionError [ERR_ASSERTION]: 1 == 2
    at Context.&#x3C;anonymous&#x3E; (test/cart.js:9:12)</failure></testcase>
<testcase classname="cart" name="ships" time="0"><skipped/></testcase>
</testsuite>`;

const mochaOfFiles = `<testsuite name="Mocha Tests" tests="4" failures="0" errors="1" skipped="0" time="0.003">
<testcase classname="" name="top" file="/srv/ws/test/a.js" time="0.001"><failure>2 == 3</failure></testcase>
<testcase classname="" name="top" file="/srv/ws/test/b.js" time="0"/>
<testcase classname="" name="top" file="/srv/ws/test/sub/a.js" time="0"/>
<testcase classname="cart" name="adds" file="/srv/ws/test/b.js" time="0"/>
</testsuite>`;

const cypress = `<testsuites name="Mocha Tests" time="0.5" tests="2" failures="1">
  <testsuite name="Root Suite" timestamp="2026-01-31T12:34:56" tests="1" file="cypress/e2e/cart.cy.js" time="0.1" failures="1">
    <testcase name="opens" time="0.1" classname="opens"><failure message="no page" type="Error"/></testcase>
  </testsuite>
  <testsuite name="cart" timestamp="2026-01-31T12:34:56" tests="1" file="cypress/e2e/cart.cy.js" time="0.4" failures="0">
    <testcase name="cart adds" time="0.4" classname="adds"></testcase>
  </testsuite>
</testsuites>`;

const rerunsOfPytest = `<testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="0" tests="4" time="0.1"
hostname="vm"><testcase classname="test_cart" name="test_add" time="0.001" /><testcase classname="test_cart"
name="test_add" time="0.001" /><testcase classname="test_cart" name="test_take" time="0.001" /><testcase
classname="test_cart" name="test_take" time="0.001"><failure message="assert 0">boom</failure></testcase></testsuite></testsuites>`;

const bun = `<testsuites name="bun test" tests="1" failures="0" skipped="0" time="0.01">
  <testsuite name="test/cart.test.ts" file="test/cart.test.ts" tests="1" failures="0" skipped="0" time="0" hostname="vm">
    <testcase name="top" classname="" time="0.001" file="test/cart.test.ts" line="3" />
  </testsuite>
</testsuites>`;

const playwright = `<testsuites id="" name="" tests="3" failures="1" skipped="1" errors="0" time="4.2">
<testsuite name="cart.spec.ts" timestamp="2026-01-31T12:34:56.789Z" hostname="chromium" tests="3" failures="1" skipped="1" time="3.9" errors="0">
<testcase name="Cart › adds an item" classname="cart.spec.ts" time="1.2">
<properties><property name="owner" value="shop"></property></properties>
<system-out>
<![CDATA[
[[ATTACHMENT|cart-chromium/trace.zip]]
]]>
</system-out>
</testcase>
<testcase name="Cart › removes an item" classname="cart.spec.ts" time="2.7">
<failure message="cart.spec.ts:9:7 removes an item" type="FAILURE">
<![CDATA[  [chromium] › cart.spec.ts:9:7 › Cart › removes an item
    Error: expect(locator).toBeVisible() failed
]]>
</failure>
</testcase>
<testcase name="Cart › ships" classname="cart.spec.ts" time="0">
<skipped>
</skipped>
</testcase>
</testsuite>
</testsuites>`;

const gradle = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.acme.CartTest" tests="3" skipped="1" failures="1" errors="0" timestamp="2026-01-31T12:34:56" hostname="vm" time="0.071">
  <properties/>
  <testcase name="addsItem()" classname="com.acme.CartTest" time="0.05"/>
  <testcase name="[1] 1, 2" classname="com.acme.CartTest" time="0.012">
    <failure message="org.opentest4j.AssertionFailedError: expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError">org.opentest4j.AssertionFailedError: expected: &lt;1&gt; but was: &lt;2&gt;
	at app//com.acme.CartTest.removes(CartTest.java:21)
</failure>
  </testcase>
  <testcase name="ships()" classname="com.acme.CartTest" time="0.0">
    <skipped/>
  </testcase>
  <system-out><![CDATA[an item was added]]></system-out>
  <system-err><![CDATA[]]></system-err>
</testsuite>`;

const phpunit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="/srv/ws/phpunit.xml" tests="3" assertions="3" errors="1" failures="1" skipped="0" time="0.01">
    <testsuite name="unit" tests="3" assertions="3" errors="1" failures="1" skipped="0" time="0.01">
      <testsuite name="Shop\\CartTest" file="/srv/ws/tests/CartTest.php" tests="3" assertions="3" errors="1" failures="1" skipped="0" time="0.01">
        <testcase name="testAdds" file="/srv/ws/tests/CartTest.php" line="9" class="Shop\\CartTest" classname="Shop.CartTest" assertions="1" time="0.003"/>
        <testsuite name="Shop\\CartTest::testRemoves" tests="1" assertions="1" errors="0" failures="1" skipped="0" time="0.002">
          <testcase name="testRemoves with data set #0" file="/srv/ws/tests/CartTest.php" line="15" class="Shop\\CartTest" classname="Shop.CartTest" assertions="1" time="0.002">
            <failure type="PHPUnit\\Framework\\ExpectationFailedException">Shop\\CartTest::testRemoves with data set #0 (1, 2)
Failed asserting that 1 matches expected 2.</failure>
          </testcase>
        </testsuite>
        <testcase name="testPays" file="/srv/ws/tests/CartTest.php" line="30" class="Shop\\CartTest" classname="Shop.CartTest" assertions="1" time="0.001">
          <error type="Error">Error: Call to undefined method</error>
        </testcase>
      </testsuite>
    </testsuite>
  </testsuite>
</testsuites>`;

const ctest = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++"
	tests="3"
	failures="1"
	disabled="1"
	skipped="0"
	hostname="vm"
	time="0"
	timestamp="2026-01-31T12:34:56"
	>
	<testcase name="cart_adds" classname="cart_adds" time="0.00241" status="run">
		<system-out>ok
</system-out>
	</testcase>
	<testcase name="cart_removes" classname="cart_removes" time="0.0019" status="fail">
		<failure message="Failed"/>
		<system-out>1 != 2
</system-out>
	</testcase>
	<testcase name="cart_ships" classname="cart_ships" time="0" status="disabled">
		<skipped message="Disabled"/>
	</testcase>
</testsuite>`;

const catch2 = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="shop" errors="1" failures="1" skipped="1" tests="4" hostname="tbd" time="0.003" timestamp="2026-01-31T12:34:56Z">
    <properties>
      <property name="random-seed" value="42"/>
    </properties>
    <testcase classname="shop.global" name="adds an item" time="0.001" status="run"/>
    <testcase classname="shop.global" name="removes an item/when empty" time="0.001" status="run">
      <failure message="1 == 2" type="REQUIRE">
FAILED:
  REQUIRE( 1 == 2 )
at /srv/ws/cart.cpp:9
      </failure>
    </testcase>
    <testcase classname="shop.global" name="pays" time="0" status="run">
      <error message="" type="TEST_CASE">
FAILED:
due to unexpected exception with message:
  no carrier
      </error>
    </testcase>
    <testcase classname="shop.global" name="ships" time="0" status="run">
      <skipped type="SKIP">
SKIPPED
at /srv/ws/cart.cpp:20
      </skipped>
    </testcase>
    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>`;

const nextest = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="2" failures="1" errors="0" uuid="45c50042-482e-477e-88f2-60cfcc3eaf95" timestamp="2026-01-31T12:34:56.789+00:00" time="0.023">
    <testsuite name="shop::cart" tests="2" disabled="0" errors="0" failures="1">
        <testcase name="tests::adds" classname="shop::cart" timestamp="2026-01-31T12:34:56.790+00:00" time="0.004">
        </testcase>
        <testcase name="tests::removes" classname="shop::cart" timestamp="2026-01-31T12:34:56.790+00:00" time="0.006">
            <failure message="thread &apos;tests::removes&apos; panicked at src/cart.rs:9:5" type="test failure with exit code 101">thread &apos;tests::removes&apos; panicked at src/cart.rs:9:5:
assertion \`left == right\` failed</failure>
            <rerunFailure timestamp="2026-01-31T12:34:57.000+00:00" time="0.005" type="test failure with exit code 101">
                <system-out>again</system-out>
            </rerunFailure>
            <system-err>thread panicked</system-err>
        </testcase>
    </testsuite>
</testsuites>`;

const cargo2junit = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testsuite id="0" name="cargo test #0" package="testsuite/cargo test #0" tests="2" errors="0" failures="1" hostname="localhost" timestamp="2026-01-31T12:34:56.789Z" time="0">
    <testcase name="adds" time="0" classname="cart::tests" />
    <testcase name="removes" time="0" classname="cart::tests">
      <failure type="cargo test" message="failed cart::tests::removes"><![CDATA[thread 'cart::tests::removes' panicked at src/cart.rs:9:5]]></failure>
    </testcase>
  </testsuite>
</testsuites>`;

const goJunitReport = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" skipped="1">
	<testsuite name="example.org/shop/cart" tests="3" failures="1" errors="0" id="0" hostname="vm" skipped="1" time="0.012" timestamp="2026-01-31T12:34:56Z">
		<properties>
			<property name="go.version" value="go1.24.1 linux/amd64"></property>
		</properties>
		<testcase name="TestAdds" classname="example.org/shop/cart" time="0.010"></testcase>
		<testcase name="TestRemoves/when_empty" classname="example.org/shop/cart" time="0.000">
			<failure message="Failed"><![CDATA[    cart_test.go:9: 1 != 2]]></failure>
		</testcase>
		<testcase name="TestShips" classname="example.org/shop/cart" time="0.000">
			<skipped message="cart_test.go:15: no carrier"></skipped>
		</testcase>
		<system-out><![CDATA[coverage: 50% of statements]]></system-out>
	</testsuite>
</testsuites>`;

const googleTestFailing = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" disabled="0" errors="0" time="0.001" timestamp="2026-01-31T12:34:56.789" name="AllTests">
  <testsuite name="Sizes/CartTest" tests="3" failures="1" disabled="0" skipped="1" errors="0" time="0." timestamp="2026-01-31T12:34:56.789">
    <testcase name="Adds/0" value_param="1" file="cart_test.cc" line="9" status="run" result="completed" time="0." timestamp="2026-01-31T12:34:56.789" classname="Sizes/CartTest" />
    <testcase name="Adds/1" value_param="2" file="cart_test.cc" line="9" status="run" result="completed" time="0.001" timestamp="2026-01-31T12:34:56.789" classname="Sizes/CartTest">
      <failure message="cart_test.cc:12&#x0A;Expected equality of these values:&#x0A;  1&#x0A;  2" type=""><![CDATA[cart_test.cc:12
Expected equality of these values:
  1
  2]]></failure>
    </testcase>
    <testcase name="Ships" file="cart_test.cc" line="20" status="run" result="skipped" time="0." timestamp="2026-01-31T12:34:56.789" classname="Sizes/CartTest">
      <skipped message="cart_test.cc:21&#x0A;no carrier"><![CDATA[cart_test.cc:21
no carrier]]></skipped>
    </testcase>
  </testsuite>
</testsuites>`;

export const moreReports: readonly SampleReport[] = [
  {
    producer: 'Jest',
    xml: jest,
    expected: [
      'cart adds an item#cart adds an item SUCCESS',
      'cart removes an item#cart removes an item FAILURE',
      'cart ships#cart ships SKIPPED',
    ],
  },
  {
    producer: 'Mocha',
    xml: mocha,
    expected: [
      'cart#adds an item SUCCESS',
      'cart when empty#removes an item FAILURE',
      'cart#ships SKIPPED',
    ],
  },
  {
    producer: 'Playwright',
    xml: playwright,
    expected: [
      'chromium > cart.spec.ts#Cart › adds an item SUCCESS',
      'chromium > cart.spec.ts#Cart › removes an item FAILURE',
      'chromium > cart.spec.ts#Cart › ships SKIPPED',
    ],
  },
  {
    producer: 'Gradle',
    xml: gradle,
    expected: [
      'com.acme.CartTest#addsItem() SUCCESS',
      'com.acme.CartTest#[1] 1, 2 FAILURE',
      'com.acme.CartTest#ships() SKIPPED',
    ],
  },
  {
    producer: 'PHPUnit',
    xml: phpunit,
    expected: [
      'Shop.CartTest#testAdds SUCCESS',
      'Shop.CartTest#testRemoves with data set #0 FAILURE',
      'Shop.CartTest#testPays ERROR',
    ],
  },
  {
    producer: 'CTest',
    xml: ctest,
    expected: [
      'cart_adds#cart_adds SUCCESS',
      'cart_removes#cart_removes FAILURE',
      'cart_ships#cart_ships SKIPPED',
    ],
  },
  {
    producer: 'Catch2',
    xml: catch2,
    expected: [
      'shop.global#adds an item SUCCESS',
      'shop.global#removes an item/when empty FAILURE',
      'shop.global#pays ERROR',
      'shop.global#ships SKIPPED',
    ],
  },
  {
    producer: 'cargo-nextest',
    xml: nextest,
    expected: [
      'shop::cart#tests::adds SUCCESS',
      'shop::cart#tests::removes FAILURE',
      'shop::cart#tests::removes FAILURE',
    ],
  },
  {
    producer: 'cargo2junit',
    xml: cargo2junit,
    expected: ['cart::tests#adds SUCCESS', 'cart::tests#removes FAILURE'],
  },
  {
    producer: 'go-junit-report',
    xml: goJunitReport,
    expected: [
      'example.org/shop/cart#TestAdds SUCCESS',
      'example.org/shop/cart#TestRemoves/when_empty FAILURE',
      'example.org/shop/cart#TestShips SKIPPED',
    ],
  },
  {
    producer: 'GoogleTest with parameters',
    xml: googleTestFailing,
    expected: [
      'Sizes/CartTest#Adds/0 SUCCESS',
      'Sizes/CartTest#Adds/1 FAILURE',
      'Sizes/CartTest#Ships SKIPPED',
    ],
  },
  {
    producer: 'Mocha with tests outside of suites',
    xml: mochaOfFiles,
    expected: ['a.js#top FAILURE', 'b.js#top SUCCESS', 'sub/a.js#top SUCCESS', 'cart#adds SUCCESS'],
  },
  {
    producer: 'Cypress with tests outside of suites',
    xml: cypress,
    expected: ['cart.cy.js#opens FAILURE', 'adds#cart adds SUCCESS'],
  },
  {
    // A retried execution has no failure, so the last execution is the worst.
    producer: 'pytest-rerunfailures',
    xml: rerunsOfPytest,
    expected: [
      'test_cart#test_add SUCCESS',
      'test_cart#test_add SUCCESS',
      'test_cart#test_take SUCCESS',
      'test_cart#test_take FAILURE',
    ],
  },
  { producer: 'Bun', xml: bun, expected: ['test/cart.test.ts#top SUCCESS'] },
];
