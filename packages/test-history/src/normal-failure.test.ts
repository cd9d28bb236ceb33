import { expect, test } from 'vitest';
import { normalText, ownFrames } from './normal-failure.ts';

test.each([
  ['\u001b[31mred\u001b[0m  text\n', 'red text'],
  ['user 7f6a1c52-6f0e-5b1e-9d53-3f1d2a7c9b80 is unknown', 'user <id> is unknown'],
  ['commit deadbe1 of feedface', 'commit <hash> of feedface'],
  ['at 2030-01-02T03:04:05.678Z, at 10:20:30', 'at <time>, at <time>'],
  ['on 2/3/2030', 'on <time>'],
  ['Object@1a2b3c4d at 0xdeadbeef', 'Object<address> at <address>'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <address>'],
  ['GET http://localhost:3000/api/v1/orders/17', 'GET http://<address><number>'],
  [
    'timed out after 30000ms, 1.5 s or 2 minutes',
    'timed out after <duration>, <duration> or <duration>',
  ],
  ['expected 17.5 to be 1,000', 'expected <number> to be <number>'],
  ['order17 failed', 'order<number> failed'],
  ['no file /tmp/run-4711/a.txt', 'no file <temporary>'],
  ['no file /var/folders/x1/T/a', 'no file <temporary>'],
  ['no file C:\\Users\\me\\Temp\\a1', 'no file <temporary>'],
  ['in /builds/shop/src/login.ts:12', 'in login.ts:<number>'],
  ['in C:\\builds\\shop\\Login2.cs', 'in Login<number>.cs'],
  ['type application/json is not text', 'type application/json is not text'],
])('%j becomes %j', (text, normal) => {
  expect(normalText(text)).toBe(normal);
});

test('512 characters of a message are kept', () => {
  expect(normalText('word '.repeat(1_000))).toHaveLength(512);
});

test.each([
  [
    'JavaScript',
    `Error: no
    at signIn (file:///builds/shop/src/login.ts:12:5)
    at /builds/shop/test/login.test.ts:3:1
    at run (/builds/shop/node_modules/vitest/dist/index.js:1:1)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`,
    ['signIn login.ts', 'login.test.ts'],
  ],
  [
    'Java',
    `java.lang.AssertionError: no
\tat org.junit.Assert.fail(Assert.java:89)
\tat shop.LoginTest.signsIn(LoginTest.java:12)
\tat java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke(Native Method)`,
    ['shop.LoginTest.signsIn LoginTest.java'],
  ],
  [
    '.NET',
    `   at Xunit.Assert.True(Boolean condition)
   at Shop.LoginTests.SignsIn() in /builds/shop/LoginTests.cs:line 12`,
    ['Shop.LoginTests.SignsIn LoginTests.cs'],
  ],
  [
    'Python',
    `  File "/usr/lib/python3.12/unittest/case.py", line 58, in run
  File "/builds/shop/test_login.py", line 12, in test_sign_in
    assert False`,
    ['test_sign_in test_login.py'],
  ],
  ['pytest', 'def test():\n>   assert 0\n\ntest_login.py:12: AssertionError', ['test_login.py']],
  ['Go', '    login_test.go:12: no', ['login_test.go']],
  [
    'PHP',
    '#0 /shop/vendor/phpunit/phpunit/src/A.php(1): run()\n#1 /shop/tests/LoginTest.php(12): LoginTest->signsIn()',
    ['LoginTest->signsIn LoginTest.php'],
  ],
])('own frames of %s', (_, stack, frames) => {
  expect(ownFrames(stack)).toEqual(frames);
});

test('three frames are kept, without lines and numbers', () => {
  const stack = Array.from({ length: 9 }, (_, at) => `    at step${at} (/shop/a.ts:${at}:1)`);
  expect(ownFrames(stack.join('\n'))).toEqual(['step# a.ts', 'step# a.ts', 'step# a.ts']);
});
