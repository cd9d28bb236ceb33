const KIB = 1024;

/** Limits for documents that people write. */
export const DOCUMENT_LIMITS = {
  /** Nesting of JSON and YAML documents. Manifests need about 10; 64 keep every recursive reader far from the end of the stack. */
  depth: 64,
  /**
   * Characters of a YAML document. The parser blocks all other work (0.7 s at this size, 2 s at worst). A larger manifest can be sent as
   * JSON.
   */
  yamlLength: 512 * KIB,
  /** Characters of JSON in which places of problems are found. This needs a second parse, which takes 0.1 s at this size. */
  jsonPlaced: 64 * KIB,
  /** References (`*name`) of one YAML document, counted with their repetitions: keeps "a billion laughs" small. */
  yamlAliases: 100,
  /**
   * Characters of all texts and keys of one YAML document after references are resolved. A text of half a megabyte, referenced a hundred
   * times, would make a workflow of fifty.
   */
  yamlTexts: 4 * 1024 * KIB,
  /**
   * Values of one document after references are resolved. Each value takes time. 120 000 values are parsed in 15 ms, and a run of them
   * begins in as much again. They are a thousand jobs with forty steps each.
   */
  values: 120_000,
  /** Different keys of one document: a new key takes ten times as long as a known one. */
  keys: 20_480,
  /** Values of JSON that a thread reads to find the problems of a document with too many values. */
  valuesRead: 2_000_000,
  /** Documents with more values are only checked up to the first problem, so that reports stay small. */
  valuesExplained: 20_000,
  /** Reported problems of one document; nobody reads more at once. */
  problemsMax: 50,
} as const;
