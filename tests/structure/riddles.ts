/**
 * First words of sentences whose subject is missing: "What is told of those ..." needs the code beside it. A sentence names the thing
 * instead, with the words of GLOSSARY.md.
 */
export const RIDDLE_OPENINGS = [
  'What',
  'Who',
  'Whom',
  'Whoever',
  'Whose',
  'Those',
  'That',
  'Of',
  'How',
] as const;
