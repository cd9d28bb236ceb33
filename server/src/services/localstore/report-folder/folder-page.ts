/** The page that lists the files of a report folder, with its pictures. */
import { sizeText } from '@tutti/manifests';
import { isEvidence } from '@tutti/run-view/failure';
import type { ReportFolder } from './read-folder.ts';
import { addressOf, startPage, traceViewer } from './start-page.ts';

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** `base` is the address of the folder, with a slash at its end. */
export function folderPage(folder: ReportFolder, base: string, title: string): string {
  const paths = [...folder.files.keys()].sort();
  const page = startPage(paths);
  // Files that the page of the tool shows come last, as do its scripts.
  const parts = page?.includes('/') ? `${page.slice(0, page.lastIndexOf('/'))}/` : null;
  const isShown = (path: string) =>
    path === page || (isEvidence(path) && (parts === null || !path.startsWith(parts)));
  const listOf = (chosen: readonly string[]) =>
    chosen.map((path) => itemOf(path, folder.files.get(path)?.size ?? 0, paths, base)).join('\n');
  const shown = paths.filter(isShown);
  const others = paths.filter((path) => !isShown(path));
  const leftOut = folder.leftOut.map((path) => `<li>${escaped(path)}: left out, too large</li>`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em}li{margin:.5em 0;overflow-wrap:anywhere}
img,video{display:block;max-width:100%;max-height:24em;margin:.5em 0;border:1px solid #8888}</style>
<h1>${escaped(title)}</h1>
<ul>
${listOf(shown)}
${leftOut.join('\n')}
</ul>
<details${shown.length === 0 ? ' open' : ''}><summary>${others.length} other files</summary>
<ul>
${listOf(others)}
</ul>
</details>
</html>
`;
}

function itemOf(path: string, size: number, paths: readonly string[], base: string): string {
  const address = addressOf(path);
  const viewer = traceViewer(path, paths, base);
  const trace = viewer === null ? '' : ` · <a href="${escaped(viewer)}">trace</a>`;
  return `<li><a href="${escaped(address)}">${escaped(path)}</a> ${sizeText(size)}${trace}${preview(path, address)}</li>`;
}

function preview(path: string, address: string): string {
  if (/\.(?:png|jpe?g|gif|webp)$/i.test(path)) {
    return `<a href="${escaped(address)}"><img loading="lazy" alt="" src="${escaped(address)}"></a>`;
  }
  return /\.(?:webm|mp4)$/i.test(path)
    ? `<video controls preload="none" src="${escaped(address)}"></video>`
    : '';
}
