/** Prints a short summary of the test report: people see the last lines of a long log. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SHOWN_MAX = 50;
const MESSAGE_MAX = 600;

/**
 * Reads the JSON report of a run. Returns a line for each failure, with its message in one line, and `N passed, N failed` as the last
 * one. Without a report, it only says that something failed.
 */
export function reportLines(file, root) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const failures = failuresIn(report, root);
    const more = failures.length > SHOWN_MAX ? [`  and ${failures.length - SHOWN_MAX} more`] : [];
    const lines = failures.length > 0 ? ['Failed tests:', ...failures.slice(0, SHOWN_MAX)] : [];
    return [...lines, ...more, `${report.numPassedTests} passed, ${failures.length} failed`];
  } catch {
    return ['0 passed, 1 failed'];
  }
}

function failuresIn({ success, testResults }, root) {
  const failures = testResults.flatMap((suite) => failuresOf(suite, root));
  return failures.length === 0 && !success ? ['  an error outside the tests'] : failures;
}

function failuresOf({ name, status, message, assertionResults }, root) {
  const file = relative(root, name);
  const failed = assertionResults.filter((result) => result.status === 'failed');
  // A file that cannot be loaded has failed without a failed test.
  if (failed.length === 0) return status === 'failed' ? [failureLine(file, message)] : [];
  return failed.map(({ fullName, failureMessages }) =>
    failureLine(`${file} > ${fullName}`, failureMessages[0]),
  );
}

/** A random test names its seed and its input below the first line. */
function failureLine(what, message) {
  const lines = (message ?? '').split('\n').map((line) => line.trim());
  const stack = lines.findIndex((line) => line.startsWith('at '));
  const text = (stack < 0 ? lines : lines.slice(0, stack)).filter((line) => line !== '').join(' ');
  return `  ${what}: ${text.slice(0, MESSAGE_MAX)}`;
}
