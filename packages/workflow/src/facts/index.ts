/** Facts and their codec, for those who read or write events. */
export {
  branchIn,
  chosenIn,
  conclusionIn,
  factOf,
  fileOf,
  hasBooleanFlags,
  inputsIn,
  isAttempt,
  isMasking,
  jobIn,
  namesRerun,
  notifiedLines,
  rerunIn,
  traceparentIn,
  versionIn,
} from './decode.ts';
export {
  annotationEntries,
  attemptEntry,
  calledEntry,
  fileEntry,
  JOB_ENTRY,
  maskEntries,
  metadataEntries,
  problemEntries,
  specEntries,
  traceparentEntry,
  warningEntries,
} from './encode.ts';
export type { Fact, FactOf } from './fact.ts';
export {
  createMarkReader,
  createRangeCutter,
  type LineRange,
  markLines,
} from './line-ranges.ts';
export {
  historiesIn,
  historyEntries,
  type KnownHistory,
  type TestHistory,
} from './test-histories.ts';
export { testedEntries } from './tested.ts';
