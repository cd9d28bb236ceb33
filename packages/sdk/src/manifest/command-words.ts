/** Command lines and scripts out of descriptions: values from outside are quoted, word by word. */
import { evaluateExpression, isList, type Scope, splitText } from '@tutti/expressions';
import type { ChannelOs } from '@tutti/manifests';
import { commandLine, quoteCmd, quoteCmdScriptWord, quoteSh } from '../quoting.ts';
import { renderWords, textOf } from './call-values.ts';
import type { ScriptLanguage } from './script-places.ts';

/** Programs that are scripts on Windows, which must be called, and read their words by other rules. */
const WINDOWS_SCRIPTS: ReadonlySet<string> = new Set([
  'ant',
  'gradle',
  'gradlew',
  'mvn',
  'mvnw',
  'npm',
  'npx',
  'pnpm',
  'yarn',
]);

/** The line of a command. Throws `Invalid` for words that the system cannot pass on. */
export function renderCommand(
  os: ChannelOs,
  written: readonly (string | number)[],
  scope: Scope,
): string {
  const words = written.flatMap((word) => renderWords(word, scope));
  const [program = ''] = words;
  if (os !== 'windows' || !isWindowsScript(program)) return commandLine(os, words);
  return ['call', ...words.map(quoteCmdScriptWord)].join(' ');
}

function isWindowsScript(program: string): boolean {
  const name = program.slice(program.search(/[^\\/]*$/)).toLowerCase();
  return /\.(?:cmd|bat)$/.test(name) || WINDOWS_SCRIPTS.has(name);
}

/** A script with the values of its expressions as quoted words. */
export function renderScript(script: string, language: ScriptLanguage, scope: Scope): string {
  const quote = language === 'bash' ? quoteSh : quoteCmd;
  const rendered = splitText(script).map((part) => {
    if (part.kind === 'text') return part.text;
    const value = evaluateExpression(part.text, scope);
    const items = isList(value) ? value : [value];
    return items.map((item) => quote(textOf(item, part.text))).join(' ');
  });
  return rendered.join('');
}
