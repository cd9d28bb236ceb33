/**
 * Keys of orchestrators and users that options of `tutti config` set, under the same names. Each has the form of its value, and its help.
 */

type Form = '[boolean]' | '<file>' | '<number>' | '<text>' | '[value]' | '<kind>' | '<token>';
export type ConfigKey = readonly [key: string, form: Form, help: string];

export const ORCHESTRATOR_KEYS: readonly ConfigKey[] = [
  ['insecure-skip-tls-verify', '[boolean]', 'do not check its certificate'],
  ['certificate-authority', '<file>', 'certificates of authorities to trust (PEM)'],
  ['client-certificate', '<file>', 'certificate to be known by (PEM)'],
  ['client-key', '<file>', 'key of that certificate (PEM)'],
];

const COLORS =
  'false: none, unless FORCE_COLOR asks for them; or those of lines, as in ttl=1:run=36:out=32:err=31:att=2';

export const USER_KEYS: readonly ConfigKey[] = [
  ['token', '<token>', 'token; - reads it from standard input, where no other user sees it'],
  ['token-file', '<file>', 'file with the token, read whenever it is needed'],
  ['step-depth', '<number>', 'how deep steps are shown, as with "tutti run"'],
  ['job-depth', '<number>', 'how deep jobs are shown, as with "tutti run"'],
  ['max-command-length', '<number>', 'how much of commands is shown, as with "tutti run"'],
  ['output-prefix', '<text>', 'as with "tutti run"'],
  ['colors', '[value]', COLORS],
  ['progress', '<kind>', 'how "tutti run --wait" shows runs'],
  ['verbose', '[boolean]', 'show more, as with "tutti run"'],
  ['show-notifications', '[boolean]', 'show what services log'],
];
