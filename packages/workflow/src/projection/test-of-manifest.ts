/** The part of a test case that scopes look at, out of its JSON text. Reading the rest as well takes twice as long. */
import { type TestCaseManifest, withHistory } from './test-cases.ts';

// As `testCaseManifest` orders it. In texts, quotation marks are escaped: only keys read like this.
const BEGIN = ',"test":{';
const END = '},"status":"';

/** `json` is a manifest that was written by `JSON.stringify`. */
export function testOfManifest(json: string): Pick<TestCaseManifest, 'test'> {
  const begin = json.indexOf(BEGIN);
  const end = json.indexOf(END, begin);
  // The part is an object only if it ends where it should. Entries of a test management may have such keys, too.
  const part =
    begin === -1 || end === -1 ? null : parsed(json.slice(begin + BEGIN.length - 1, end + 1));
  return { test: withHistory(part ?? JSON.parse(json).test) };
}

function parsed(json: string): TestCaseManifest['test'] | null {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
