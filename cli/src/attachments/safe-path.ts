/** File paths made of names from tests: they stay in their folder, on every system, and are distinct. */

/** In bytes; file systems take 255, and a mark may be added. */
const NAME_BYTES_MAX = 200;

// Characters that some system refuses in names, or reads as part of a path.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among them.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*]|\p{Bidi_Control}/gu;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;

/** Makes one safe part of a path. */
export function safeName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(FORBIDDEN, '_')
    .replace(/[. ]+$/, '');
  // Users would take a name that begins with a blank or a dash for something else.
  const led = plain.replace(/^[ -]/, '_');
  if (led === '' || /^\.+$/.test(led)) return '_';
  return shortened(RESERVED.test(led) ? `_${led}` : led);
}

/** The ending stays: programs go by it. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]{1,15})?$/s.exec(name) ?? [];
  const room = NAME_BYTES_MAX - Buffer.byteLength(ending);
  let short = '';
  for (const character of stem) {
    if (Buffer.byteLength(short + character) > room) break;
    short += character;
  }
  return `${short}${ending}`;
}

/** Gives each file a path of its own: repeated names get a number. */
export function createPathPicker(): (folder: readonly string[], name: string) => readonly string[] {
  const taken = new Set<string>();
  return (folder, name) => {
    const parts = folder.filter((part) => part !== '').map(safeName);
    const safe = safeName(name);
    for (let number = 1; ; number += 1) {
      const path = [...parts, numbered(safe, number)];
      // Some file systems ignore case, and the ways to write a letter with an accent.
      const key = path.join('/').normalize('NFC').toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return path;
    }
  };
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  return `${stem} (${number})${ending}`;
}
