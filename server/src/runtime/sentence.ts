/** The text with a full stop, unless it already ends like a sentence. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** The end of a sentence for clients, who can only ask their operator. */
export const INTERNAL_ERROR = "internal error, see the server's log.";
