export { type AttachOptions, attach, attachHead, missingReportHead } from './attach.ts';
export { createFile, makeDirectoryOf } from './create-file.ts';
export {
  type FunctionName,
  findFunction,
  formatFunctionName,
  parseFunctionName,
} from './function-name.ts';
export {
  defineProvider,
  type FunctionDefinition,
  type Provider,
  type ProviderFunction,
  type Runner,
  type ValuesOf,
} from './provider.ts';
export { commandLine, escapeEcho, quoteCmd, quoteCmdPath, quoteFor, quoteSh } from './quoting.ts';
export { renderIni } from './render-ini.ts';
export { scriptStep, stopOnError } from './script-step.ts';
export { setVariable } from './set-variable.ts';
