const KIB = 1024;

/** Bounds of documents that people write. */
export const DOCUMENT_LIMITS = {
  /** Nesting of JSON and YAML documents. Manifests need about 10; 64 keep every recursive reader far from the end of the stack. */
  depth: 64,
  /**
   * A YAML document, in characters. While it is read (0.7 s at this size, 2 s at worst) nothing else runs; a manifest that
   * needs more can be sent as JSON.
   */
  yamlLength: 512 * KIB,
  /** JSON in whose text places of problems are looked for, in characters: reading it once more takes 0.1 s at this size. */
  jsonPlaced: 64 * KIB,
  /** References (`*name`) of one YAML document, counted with what they multiply: keeps "a billion laughs" small. */
  yamlAliases: 100,
  /**
   * Characters of all texts and keys of one YAML document after references are resolved: a text of half a megabyte that is named a hundred
   * times would be a workflow of fifty.
   */
  yamlTexts: 4 * 1024 * KIB,
  /**
   * Values of one document after references are resolved. Whoever reads them takes time for each: so many are parsed in 15 ms, and a
   * run of so many begins in as much again. They are a thousand jobs with forty steps each.
   */
  values: 120_000,
  /** Different keys of one document: a key that is new takes ten times as long as one that is known. */
  keys: 20_480,
  /** Values of JSON that are read in a thread, to say what is wrong with a document that has too many. */
  valuesRead: 2_000_000,
  /** Documents with more values than this are only checked up to the first problem, so that reports stay small. */
  valuesExplained: 20_000,
  /** Problems told of one document; nobody reads more at once. */
  problemsTold: 50,
} as const;
