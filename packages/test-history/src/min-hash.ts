/** Finds texts that have most of their words in common, without comparing each with each. */

const HASHES = 64;
const BANDS = 16;
const ROWS = HASHES / BANDS;
const SHINGLE_WORDS = 3;

/** Each three words that follow each other. A shorter text is one shingle. */
export function shinglesOf(text: string): ReadonlySet<string> {
  const words = text.split(' ');
  const count = Math.max(words.length - SHINGLE_WORDS + 1, 1);
  return new Set(
    Array.from({ length: count }, (_, at) => words.slice(at, at + SHINGLE_WORDS).join(' ')),
  );
}

/** Keys of bands. Texts with a Jaccard index of 0.7 have one in common with a probability of 99 %. */
export function bandsOf(shingles: ReadonlySet<string>): readonly string[] {
  const least = new Uint32Array(HASHES).fill(0xffff_ffff);
  for (const shingle of shingles) {
    const hash = hashOf(shingle);
    for (let at = 0; at < HASHES; at++) {
      const mixed = mix(hash ^ Math.imul(at + 1, 0x9e37_79b1));
      if (mixed < (least[at] ?? 0)) least[at] = mixed;
    }
  }
  return Array.from({ length: BANDS }, (_, band) => {
    const rows = least.subarray(band * ROWS, (band + 1) * ROWS);
    return `${band} ${rows.join(' ')}`;
  });
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  }
  return hash;
}

/** The last steps of MurmurHash3: each bit changes half of the others. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
