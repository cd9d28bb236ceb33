import { startPage, traceViewer } from '@tutti/server/report-folder';
import { expect, test } from 'vitest';
import { browserCommand } from './open-browser.ts';

test.each([
  [['b/index.html', 'html/data/x.html', 'a/b/index.html'], 'b/index.html'],
  [['log.html', 'report.html', 'a.png'], 'report.html'],
  [['a/only.html', 'a.png'], 'a/only.html'],
  [['one.html', 'two.html'], null],
  [['a.png'], null],
])('of %j the first page is %s', (paths, page) => {
  expect(startPage(paths)).toBe(page);
});

const BASE = 'http://127.0.0.1:1/word/';

test.each([
  [
    'r/trace.zip',
    ['html/trace/index.html'],
    `${BASE}html/trace/index.html?trace=${encodeURIComponent(`${BASE}r/trace.zip`)}`,
  ],
  [
    'r/trace-1.zip',
    ['trace/index.html'],
    `${BASE}trace/index.html?trace=${encodeURIComponent(`${BASE}r/trace-1.zip`)}`,
  ],
  ['r/trace.zip', ['html/index.html'], null],
  ['r/data.zip', ['html/trace/index.html'], null],
])('%s with %j has the viewer %s', (path, paths, address) => {
  expect(traceViewer(path, paths, BASE)).toBe(address);
});

test.each<[NodeJS.Platform, Readonly<Record<string, string>>, readonly string[] | null]>([
  ['linux', { DISPLAY: ':0' }, ['xdg-open', BASE]],
  ['linux', { WAYLAND_DISPLAY: 'w' }, ['xdg-open', BASE]],
  ['linux', {}, null],
  ['darwin', {}, ['open', BASE]],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', BASE]],
  ['linux', { BROWSER: 'firefox --new-tab:lynx' }, ['firefox', '--new-tab', BASE]],
  ['linux', { BROWSER: 'show %s now' }, ['show', BASE, 'now']],
  ['win32', { BROWSER: 'C:\\b.exe' }, ['C:\\b.exe', BASE]],
])('on %s with %j the browser is %j', (platform, env, command) => {
  expect(browserCommand(BASE, env, platform)).toEqual(command);
});
