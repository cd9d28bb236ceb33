/** Traces of texts that got to be more than text, in a page that shows those of others. */
/** Texts with a mark that turns them around, and whatever follows. */
export const TURNING = `(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const around = text.parentElement;
    const isAlone = around.closest('bdi, textarea') !== null || getComputedStyle(around).unicodeBidi.startsWith('isolate');
    if (text.data.includes('\\u202E') && !isAlone) found.push(around.outerHTML.slice(0, 300));
  }
  return found;
})()`;

/** Links of the page itself have the address in a parameter, where its slashes are escaped. */
export const OTHERS_IN_MAIN = 'main img, main script, main a[href*="//"]';
