/** Which features the tests with existing programs are about, as their sources say. */

/** A call with its first argument, wherever the formatter broke its lines; comments may stand before the title. */
const CALL = /\bfeature\((?:\s|\/\/[^\n]*\n|\/\*.*?\*\/)*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/gs;

/** The titles of all calls of `feature` in a source. */
export function featureTitles(source: string): readonly string[] {
  return [...source.matchAll(CALL)].map(([, , title = '']) => title.replaceAll(/\\(.)/gs, '$1'));
}
