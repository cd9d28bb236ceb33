/** Message, place and files of a failed test case, out of its report. */
export { evidenceOf, isEvidence, pictureOf, type TestOfEvidence } from './evidence.ts';
export { FAILURE_LINES_MAX, type FailureDetails, failureMessage } from './failure-message.ts';
export { failurePlace } from './failure-place.ts';
