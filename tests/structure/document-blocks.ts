/** The blocks of code in documents, and the commands of ours in them. */

/** The contents of the blocks of a language, in order. */
export function blocksOf(document: string, language: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...document.matchAll(pattern)].map(([, block = '']) => block);
}

/** The arguments of each `tutti ..` in the shell blocks of a document. Comments and where their output goes are left out. */
export function tuttiCommandsOf(document: string): readonly (readonly string[])[] {
  return blocksOf(document, 'sh')
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+[#|>].*$/, '').trim())
    .filter((line) => line.startsWith('tutti '))
    .map((line) => line.split(/\s+/).slice(1));
}
