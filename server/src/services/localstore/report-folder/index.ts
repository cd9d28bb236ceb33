/** Report folders, for the command line. */
export { type AnsweredFolder, answerFolder } from './answer-folder.ts';
export { FOLDER_LIMITS } from './limits.ts';
export { type ReportFolder, readFolder } from './read-folder.ts';
export { addressOf, startPage, traceViewer } from './start-page.ts';
export { archiveError, FolderError, folderEntries, isList, readList } from './unpack.ts';
