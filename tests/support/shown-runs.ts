/** Runs to look at in a browser. One failed, with all that a run can have; one waits. */
import { dirname } from 'node:path';
import type { Manifest } from './runs.ts';

const REPORT = `<testsuite name="shop.CartTest" tests="4" failures="1" errors="1" skipped="1">
<testcase classname="shop.CartTest" name="adds an item" time="0.12"/>
<testcase classname="shop.CartTest" name="sums prices" time="1.4"><failure message="expected 30 but was 29.97" type="AssertionError">AssertionError: expected 30 but was 29.97
  at shop.CartTest.sumsPrices(CartTest.java:41)
  at shop.CartTest.main(CartTest.java:9)</failure></testcase>
<testcase classname="shop.CartTest" name="pays by card" time="0.3"><error message="connection refused" type="IOException">IOException: connection refused</error></testcase>
<testcase classname="shop.CartTest" name="ships abroad"><skipped/></testcase>
</testsuite>`;

const attach = (type: string, file: string): string => `echo "::attach type=${type}::$PWD/${file}"`;

const lines = (...all: readonly string[]): string => all.join('\n');

const TEST_SCRIPT = lines(
  'printf "\\033[36mRunning 4 tests of the shop\\033[0m\\n"',
  'printf "\\033[31mFAILED\\033[0m sums prices: expected 30 but was 29.97\\n"',
  `cat > report.xml <<'END'\n${REPORT}\nEND`,
  "echo '<!doctype html><title>R</title><h1>A report</h1><p id=place></p><script>place.textContent = self.origin</script>' > report.html",
  'echo "Tests run: 4, Failures: 1, Errors: 1, Skipped: 1"',
  attach('application/vnd.opentestfactory.shop-surefire+xml', 'report.xml'),
  attach('text/html', 'report.html'),
  'exit 3',
);

/** Builds, tests in a matrix, and would deploy. `picture` is a screenshot, in base64. */
export const failingRun = (picture: string): Manifest => ({
  metadata: { name: 'shop nightly' },
  jobs: {
    build: {
      'runs-on': 'linux',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow
      outputs: { version: '${{ steps.v.outputs.version }}' },
      steps: [
        { name: 'Compile', run: 'echo "Compiling 128 files"; echo "Done"' },
        { id: 'v', name: 'Name the version', run: 'echo "::set-output name=version::1.4.2"' },
      ],
    },
    lint: { 'runs-on': 'linux', steps: [{ name: 'Check the style', run: 'echo "no problems"' }] },
    test: {
      needs: ['build'],
      'runs-on': 'linux',
      steps: [
        {
          name: 'Take a picture',
          run: `echo ${picture} | base64 -d > 'sums prices.png'; cp 'sums prices.png' later.png; ${attach('image/png', 'sums prices.png')}; ${attach('image/png', 'later.png')}`,
        },
        { name: 'Test the shop', run: TEST_SCRIPT },
        { name: 'Clean up', run: 'echo never' },
      ],
    },
    browsers: {
      needs: ['build'],
      'runs-on': 'linux',
      strategy: { matrix: { browser: ['firefox', 'chromium'], size: [360, 1280] } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of a workflow
      steps: [{ name: 'Open the shop', run: 'echo "${{ matrix.browser }} ${{ matrix.size }}"' }],
    },
    deploy: {
      needs: ['test', 'browsers', 'lint'],
      'runs-on': 'linux',
      steps: [{ name: 'Deploy', run: 'echo deployed' }],
    },
  },
});

/** One job runs until the file is there, or its directory is gone. Another asks for an environment that nobody has. */
export const openRun = (file: string): Manifest => ({
  metadata: { name: 'load test' },
  jobs: {
    load: {
      'runs-on': 'linux',
      steps: [
        {
          name: 'Send requests',
          run: `echo "request 1"; echo "request 2"; while [ -d ${dirname(file)} ] && ! [ -e ${file} ]; do sleep 0.1; done; echo "request 3"`,
        },
      ],
    },
    render: {
      'runs-on': ['linux', 'gpu'],
      steps: [{ name: 'Render', run: 'echo rendered' }],
    },
    report: {
      needs: ['load', 'render'],
      'runs-on': 'linux',
      steps: [{ name: 'Report', run: 'echo all' }],
    },
  },
});
