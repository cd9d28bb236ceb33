/** Which page of a report folder comes first, and how a file of it is shown. */

const PAGES = ['index.html', 'report.html', 'log.html'];

/** The page that the tool made: the least deep one of a usual name, or the only page. Null for a folder without one. */
export function startPage(paths: readonly string[]): string | null {
  const pages = paths.filter((path) => path.endsWith('.html'));
  const depthOf = (path: string) => path.split('/').length;
  const nameOf = (path: string) => path.split('/').at(-1) ?? '';
  const usual = pages
    .filter((path) => PAGES.includes(nameOf(path)))
    .sort((a, b) => depthOf(a) - depthOf(b) || PAGES.indexOf(nameOf(a)) - PAGES.indexOf(nameOf(b)));
  return usual[0] ?? (pages.length === 1 ? (pages[0] ?? null) : null);
}

/** The address of a file within that of the folder. */
export const addressOf = (path: string): string =>
  path.split('/').map(encodeURIComponent).join('/');

const VIEWER = 'trace/index.html';

/** Address of a trace in the viewer of Playwright's report. Null for other files, and without a viewer. */
export function traceViewer(path: string, paths: readonly string[], base: string): string | null {
  if (!/(?:^|\/)trace[^/]*\.zip$/.test(path)) return null;
  const viewer = paths.find((each) => each === VIEWER || each.endsWith(`/${VIEWER}`));
  if (viewer === undefined) return null;
  return `${base}${addressOf(viewer)}?trace=${encodeURIComponent(`${base}${addressOf(path)}`)}`;
}
