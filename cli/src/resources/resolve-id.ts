/** Ids may be shortened while they are unique (client facts 2.5). */
import { isUuid } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';

export interface IdSource {
  /** Noun for the thing with the id: "workflow". */
  readonly noun: string;
  /** The command that shows which there are: "tutti workflows". */
  readonly listCommand: string;
  /** All ids; asked only where the text is not a whole id. */
  readonly ids: () => Promise<readonly string[]>;
  /** Suggestion for text that was no id, as in `to choose by name, write: tutti report --name x`. */
  readonly otherwise?: string | undefined;
}

const SHOWN_MAX = 5;
const LIKE_ID = /^[\da-f-]+$/i;

/** Completes a shortened id. A whole id is not looked up. Throws `UsageError` if none or several match. */
export async function resolveId(text: string, source: IdSource): Promise<string> {
  const isWhole: boolean = isUuid(text);
  if (isWhole) return text;
  const see = `see which there are with "${source.listCommand}".`;
  const next = source.otherwise === undefined ? see : `${source.otherwise}; or ${see}`;
  if (!LIKE_ID.test(text)) {
    const { noun } = source;
    const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
    throw new UsageError(`Not the id of ${article} ${noun}: "${text}".`, next);
  }
  const fitting = (await source.ids()).filter((id) => id.startsWith(text.toLowerCase()));
  const [only, ...others] = fitting;
  if (only === undefined) {
    throw new UsageError(`No ${source.noun} has an id that begins with "${text}".`, next);
  }
  if (others.length === 0) return only;
  const shown = fitting.slice(0, SHOWN_MAX).join(', ');
  const more = fitting.length > SHOWN_MAX ? ', …' : '';
  throw new UsageError(
    `${fitting.length} ids begin with "${text}": ${shown}${more}.`,
    'write more of the one that is meant.',
  );
}
